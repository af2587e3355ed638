/** Meaning of a port's name, without its direction. */
export type Stem =
  | 'clk'
  | 'rst'
  | 'rst_n'
  | 'cyc'
  | 'stb'
  | 'we'
  | 'adr'
  /** Data of unknown direction. */
  | 'dat'
  | 'dat_w'
  | 'dat_r'
  | 'sel'
  | 'ack'
  | 'stall'
  | 'err'
  | 'rty'
  /** Burst tags, lock and user tags of Wishbone B3 and B4. */
  | 'tag';

/** Spellings without underscores, in lower case. From a survey of 275 slaves, and related names. */
const SPELLINGS: Record<Stem, string> = {
  clk: 'clk clock ck aclk',
  rst: 'rst reset arst areset srst sreset arstp rstp',
  rst_n:
    'rstn resetn rstni resetni nrst nreset aresetn arstn srstn sresetn arstni rstb resetb rstl resetl rstx nrsti rstneg',
  cyc: 'cyc cycle',
  stb: 'stb strobe',
  we: 'we',
  adr: 'adr addr address',
  dat: 'dat data',
  dat_w: 'datw dataw wdat wdata datwr datawr wrdat wrdata writedata datmosi datamosi mosi datm2s datms',
  dat_r: 'datr datar rdat rdata datrd datard rddat rddata readdata datmiso datamiso miso rdt dats2m datsm',
  sel: 'sel bytesel',
  ack: 'ack acknowledge',
  stall: 'stall',
  err: 'err',
  rty: 'rty',
  tag: 'cti bte lock lck tga tgc tgd tagn',
};

/** Spellings that count only together with other ports of the same bus: `wb_wr`, `wb_be`, `wb_din`. */
const WEAK: Partial<Record<Stem, string>> = {
  we: 'wr write wren writeenable',
  adr: 'a ad adrs',
  dat_w: 'din di datin datain d dw datai dati',
  dat_r: 'dout do datout dataout q dr datao dato',
  sel: 'be bsel byteen byteenable bytesel wstrb',
  err: 'error',
  rty: 'retry',
};

/** Optional outputs. A weak word for one needs a bus or a direction in its name; without them it is a status. */
const OPTIONAL_OUTPUTS: ReadonlySet<Stem> = new Set(['err', 'rty']);

/** One reading of a port's name. */
export interface Reading {
  stem: Stem;
  /** The part before the stem, without direction marks: `wb`, `wbs`, `gpiowb`, or empty. */
  prefix: string;
  weak: boolean;
}

const STEMS = new Map<string, { stem: Stem; weak: boolean }>();
for (const [stem, spellings] of Object.entries(WEAK))
  for (const spelling of spellings.split(' ')) STEMS.set(spelling, { stem: stem as Stem, weak: true });
for (const [stem, spellings] of Object.entries(SPELLINGS))
  for (const spelling of spellings.split(' ')) STEMS.set(spelling, { stem: stem as Stem, weak: false });

/** Direction marks at either end of a name. */
const MARKS = new Set(['i', 'o', 'io', 'in', 'out', 'input', 'output', 'p', 'port', 'pin']);
/** Words that may follow the stem: `cyc_wb`. */
const TRAILERS = new Set([...MARKS, 'wb', 'wbs']);

/** Direction words between bus and signal, as in `slave_i.cyc` and `slave_o.ack` of VHDL. */
const WAYS = new Set(['i', 'o', 'in', 'out', 'input', 'output', 'mosi', 'miso', 'm2s', 's2m']);
/** Direction words that count only before one of these: `wb_rx_i.stb`. */
const WAYS_BEFORE = new Set(['rx', 'tx']);

/** Name of a bus without its direction, so that both records of a bus have the same name. */
function busName(tokens: readonly string[]): string {
  let end = tokens.length;
  while (end > 1 && WAYS.has(tokens[end - 1]!)) end--;
  while (end > 1 && end < tokens.length && WAYS_BEFORE.has(tokens[end - 1]!)) end--;
  return tokens.slice(0, end).join('');
}

/** Prefixes that only mean "the bus". */
const GENERIC = /^(?:wishbone|wbs|wb|slave|slv|bus|sys|m2s|s2m|s)*\d?$/;

/** Whether a prefix fits every other: none, `wb`, `wbs`, `bus`, `sys`. */
export const isGeneric = (prefix: string) => GENERIC.test(prefix);

/** `wbCycI` → wb cyc i; `wb_CYC` → wb cyc; `io_wbs_DAT_MISO` → io wbs dat miso; `datRO` → dat r o */
export function nameTokens(name: string): string[] {
  return name
    .replace(/([a-z])(?:R(O)|W(I))$/, (_, before: string, o?: string) => `${before}${o ? '_r_o' : '_w_i'}`)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== '');
}

/** A name without separators, such as `WBCYCI`: known words, a stem, marks. */
const RUN_TOGETHER = new RegExp(
  `^(io|i|o)?((?:wishbone|wbs|wb|slave|slv|bus|sys)?)(${[...STEMS]
    .filter(([, { weak }]) => !weak)
    .map(([spelling]) => spelling)
    .sort((a, b) => b.length - a.length)
    .join('|')})(in|out|i|o)?$`,
);

/** All readings of a port's name as a signal of the bus, the likeliest first. */
export function readingsOf(name: string): Reading[] {
  const readings: Reading[] = [];
  const add = (stem: Stem, prefix: string, weak: boolean) => {
    if (!readings.some((one) => one.stem === stem && one.prefix === prefix))
      readings.push({ stem, prefix, weak });
  };
  const tokens = nameTokens(name);
  let from = 0;
  while (from < Math.min(2, tokens.length - 1) && MARKS.has(tokens[from]!)) from++;
  for (let to = tokens.length; to > from && to >= tokens.length - 2; to--) {
    // Every skipped word after the stem must be a trailer.
    if (to < tokens.length && !TRAILERS.has(tokens[to]!)) break;
    for (const length of [3, 2, 1]) {
      if (to - length < from) continue;
      const known = STEMS.get(tokens.slice(to - length, to).join(''));
      const isAlone = tokens.length === length && known?.weak && OPTIONAL_OUTPUTS.has(known.stem);
      if (known && !isAlone) add(known.stem, busName(tokens.slice(from, to - length)), known.weak);
    }
  }
  const [, , prefix, stem] = RUN_TOGETHER.exec(tokens.join('')) ?? [];
  if (stem !== undefined) {
    const known = STEMS.get(stem)!;
    add(known.stem, prefix ?? '', known.weak);
  }
  // Strong readings come first: `dat_i` is data, whatever else it may be.
  return readings.sort((a, b) => Number(a.weak) - Number(b.weak));
}

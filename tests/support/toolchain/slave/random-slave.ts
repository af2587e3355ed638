import type { BusStep } from '../../../../server/contract/jobs/scripts.ts';
import { Choices } from '../expressions/choices.ts';
import { lowBits, type RandomRegister, RegisterMaker } from './random-registers.ts';

/** Ways to name the bus: inputs and outputs with a place for the part that differs, address and data. */
const NAMES: readonly [input: string, output: string, adr: string, dat_w: string, dat_r: string][] = [
  ['wb_*_i', 'wb_*_o', 'adr', 'dat', 'dat'],
  ['wbs_*_i', 'wbs_*_o', 'adr', 'dat', 'dat'],
  ['*_i', '*_o', 'adr', 'dat', 'dat'],
  ['i_wb_*', 'o_wb_*', 'adr', 'dat', 'rdt'],
  ['wb_*', 'wb_*', 'addr', 'wdata', 'rdata'],
  ['wb_*_in', 'wb_*_out', 'adr', 'dat', 'dat'],
  ['timer_wb_*_i', 'timer_wb_*_o', 'adr', 'dat', 'dat'],
  ['bus_*_i', 'bus_*_o', 'addr', 'wdata', 'rdata'],
];
/** The same, of slaves that count words by convention. */
const WORD_NAMES: typeof NAMES = [
  ['i_wb_*', 'o_wb_*', 'addr', 'data', 'data'],
  ['wb_*', 'wb_*', 'adr', 'dat_w', 'dat_r'],
  ['s_wb_*', 's_wb_*', 'adr', 'dat_w', 'dat_r'],
];
const CLOCKS = ['clk', 'clk_i', 'i_clk', 'wb_clk_i', 'sys_clk', 'wb_clk'];
const RESETS = ['rst', 'rst_i', 'i_reset', 'wb_rst_i', 'reset', 'wb_rst'];
const RESETS_LOW = ['rst_n', 'rst_ni', 'wb_rstn_i'];

const STEPS = 60;
/** Registers that tell how a slave counts addresses. */
const FEWEST = 3;

/** A port of a slave's bus, with its bits. */
interface BusPort {
  name: string;
  width: number;
}

/** A random slave, and what it should be and do. */
export interface RandomSlave {
  filename: 'slave.v' | 'slave.sv';
  text: string;
  addressing: 'byte' | 'word';
  /** A random use of the bus, and what each of its reads should give. */
  steps: BusStep[];
  words: number[];
  /** Its words, by the byte address that the host uses, and whether a write changes them. */
  registers: { address: number; access: 'rw' | 'ro' }[];
  /** By role. */
  ports: Readonly<Record<string, BusPort>>;
  resetActiveLow: boolean;
}

/** Handshakes of a slave. */
const HANDSHAKES = ['registered', 'combinational', 'late', 'pipelined'] as const;

/**
 * Writes a random slave: names, widths, base, reset, handshake, style and registers are chosen.
 * @param part name of the module where it is one of several on a bus of 32 bits: it counts no accesses, for these would be
 * effects of each of its addresses only
 */
export function randomSlave(random: () => number, part?: string): RandomSlave {
  const choose = new Choices(random);
  const once = (n: number) => choose.once(n);
  const countsWords = once(3);
  const [input, output, adrName, datW, datR] = choose.of(countsWords ? WORD_NAMES : NAMES);
  const dataBits = !part && once(4) ? choose.of([8, 16]) : 32;
  const [hasCyc, hasSel, isLow, isSv, isAsynchronous] = [!once(6), once(2), once(3), once(3), once(4)];
  const [cyc, stb, we, sel] = ['cyc', 'stb', 'we', 'sel'].map((role) => input.replace('*', role));
  const [adr, din] = [input.replace('*', adrName), input.replace('*', datW)];
  const [q, ack, stall] = [datR, 'ack', 'stall'].map((role) => output.replace('*', role));
  const [clk, rst] = [choose.of(CLOCKS), choose.of(isLow ? RESETS_LOW : RESETS)];
  const handshake = choose.of(part ? HANDSHAKES.slice(0, 3) : HANDSHAKES);

  // The registers, densely or with gaps; several words begin at a multiple of their number.
  const isLaned = hasSel && once(2);
  const maker = new RegisterMaker(choose, dataBits, (target, bits) =>
    isLaned
      ? Array.from({ length: Math.ceil(bits / 8) }, (_, lane) => {
          const range = bits === 1 ? '' : `[${Math.min(bits, 8 * lane + 8) - 1}:${8 * lane}]`;
          return `if (${sel}[${lane}]) ${target}${range} <= din${range || '[0]'};`;
        }).join(' ')
      : `${target} <= din;`,
  );
  const most = once(2) ? 4 : 1;
  let next = choose.below(most);
  const placed = Array.from({ length: FEWEST + choose.below(7) }, () => {
    const register = maker.make(part === undefined);
    const from = Math.ceil(next / register.words) * register.words;
    next = from + register.words + choose.below(most);
    return { register, from };
  });
  const indexBits = Math.ceil(Math.log2(next));

  // The address: its unit, a low bound, and a base above the registers that the slave decodes.
  const hasBound = dataBits === 32 && once(5);
  const addressing = hasBound || dataBits < 32 || countsWords ? 'word' : 'byte';
  const shift = addressing === 'byte' ? 2 : 0;
  const lowest = hasBound ? 2 : 0;
  const ownBits = indexBits + shift;
  const adrBits = dataBits < 32 ? indexBits : choose.of([ownBits, ownBits + 4, 30]);
  const hasBase = adrBits > ownBits && once(2);
  const base = hasBase ? 1 + choose.below(2 ** Math.min(adrBits - ownBits, 16) - 1) : 0;
  const adrPart = (high: number, low: number) => `${adr}[${lowest + high - 1}:${lowest + low}]`;
  const cutLow = once(2) ? shift : 0;
  const isCase = once(2);
  const choice = (text: (register: RandomRegister, word: number) => string, otherwise: string) => {
    const rows = placed.flatMap(({ register, from }) =>
      Array.from({ length: register.words }, (_, word) => {
        const compared = `${ownBits - cutLow}'d${(from + word) << (shift - cutLow)}`;
        const statement = text(register, word);
        if (statement === '') return [];
        return isCase
          ? `${compared}: begin ${statement} end`
          : `if (where == ${compared}) begin ${statement} end`;
      }).flat(),
    );
    if (isCase)
      return `case (where)\n    ${rows.join('\n    ')}\n    default: ${otherwise || ';'}\n  endcase`;
    return [...rows, otherwise].filter((row) => row !== '').join('\n  else ');
  };
  const other = once(2) ? 0 : lowBits(0xdead_beef, dataBits);

  const offered = [
    ...(hasCyc ? [cyc] : []),
    stb,
    ...(hasBase ? [`(${adrPart(adrBits, ownBits)} == ${base})`] : []),
  ].join(' & ');
  const isRegistered = handshake !== 'combinational';
  const hit = {
    ...{ registered: `${offered} & ~${ack}`, late: `${offered} & ~${ack} & (waited == 3)` },
    ...{ combinational: offered, pipelined: offered },
  }[handshake];
  const range = (bits: number, from = 0) => `[${bits + from - 1}:${from}] `;
  const type = isSv ? 'logic ' : 'wire ';
  const ports = [
    ...[clk, rst, ...(hasCyc ? [cyc] : []), stb, we].map((name) => `input ${type}${name}`),
    `input ${type}${range(adrBits, lowest)}${adr}`,
    `input ${type}${range(dataBits)}${din}`,
    ...(hasSel ? [`input ${type}${range(dataBits / 8)}${sel}`] : []),
    `output ${isRegistered ? 'reg ' : 'wire '}${range(dataBits)}${q}`,
    `output ${isRegistered ? 'reg ' : 'wire '}${ack}`,
    ...(handshake === 'pipelined' ? [`output ${type}${stall}`] : []),
  ];
  const edge = isAsynchronous ? ` or ${isLow ? 'neg' : 'pos'}edge ${rst}` : '';
  const all = (of: (register: RandomRegister) => string) =>
    placed
      .map(({ register }) => of(register))
      .filter((text) => text !== '')
      .join('\n  ');
  const text = `module ${part ?? 'slave'} (
  ${ports.join(',\n  ')}
);
  wire ${range(ownBits - cutLow)}where = ${adrPart(ownBits, cutLow)};
  wire ${range(dataBits)}din = ${din};
  reg [1:0] waited = 0;
  wire hit = ${hit};
  wire wr = hit & ${we};
  wire rd = hit & ~${we};
  ${all(({ declaration }) => declaration)}
  reg ${range(dataBits)}shown;
  ${isSv ? 'always_comb' : 'always @*'} begin
  shown = ${other};
  ${choice((register, word) => `shown = ${register.shown(word)};`, '')}
  end
  ${isSv ? 'always_ff' : 'always'} @(posedge ${clk}${edge})
  if (${isLow ? '!' : ''}${rst}) begin
  ${all(({ reset }) => reset)}
  ${isRegistered ? `${ack} <= 0;` : ''} waited <= 0;
  end else begin
  ${isRegistered ? `${ack} <= hit; if (hit) ${q} <= shown;` : ''}
  waited <= ${offered} & ~${ack} ? waited + 1 : 0;
  ${all(({ always }) => always)}
  if (wr) begin
  ${choice((register, word) => register.onWrite(word), '')}
  end
  if (rd) begin
  ${choice((register, word) => register.onRead(word), '')}
  end
  end
  ${isRegistered ? '' : `assign ${ack} = hit, ${q} = shown;`}
  ${handshake === 'pipelined' ? `assign ${stall} = 0;` : ''}
endmodule
`;

  const hostAddress = (word: number) => base * 2 ** (indexBits + 2) + 4 * word;
  const registers = placed.flatMap(({ register, from }) =>
    Array.from({ length: register.words }, (_, word) => ({
      ...{ register, word, address: hostAddress(from + word) },
      access: register.isWritable ? ('rw' as const) : ('ro' as const),
    })),
  );
  const words: number[] = [];
  const steps = Array.from({ length: STEPS }, (): BusStep => {
    const { register, word, address } = choose.of(registers);
    if (once(2)) {
      const data = choose.below(once(4) ? 4 : 2 ** 32);
      maker.writes++;
      register.write(lowBits(data, dataBits), word);
      return { op: 'write', address, data: [data] };
    }
    words.push(register.read(word));
    maker.reads++;
    return { op: 'read', address, count: 1 };
  });
  const filename = isSv ? 'slave.sv' : 'slave.v';
  const port = (name = '', width = 1): BusPort => ({ name, width });
  return {
    ...{ filename, text, addressing, steps, words, registers, resetActiveLow: isLow },
    ports: {
      ...{ clk: port(clk), rst: port(rst), ...(hasCyc && { cyc: port(cyc) }), stb: port(stb), we: port(we) },
      ...{ adr: port(adr, adrBits), dat_w: port(din, dataBits) },
      ...{ ...(hasSel && { sel: port(sel, dataBits / 8) }), dat_r: port(q, dataBits), ack: port(ack) },
    },
  };
}

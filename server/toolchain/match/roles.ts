import type { Port } from '../../contract/designs.ts';
import type { CandidateModule } from './candidate.ts';
import { isGeneric, type Reading, readingsOf, type Stem } from './port-names.ts';

/** Signals of the bus, as keys of MatchedDesign.roles. */
export type Role =
  | 'clk'
  | 'rst'
  | 'cyc'
  | 'stb'
  | 'we'
  | 'adr'
  | 'dat_w'
  | 'sel'
  | 'dat_r'
  | 'ack'
  | 'stall'
  | 'err'
  | 'rty';

export interface RoleMatch {
  roles: Partial<Record<Role, Port>>;
  resetActiveLow: boolean;
  /** Further inputs that are plainly the same clock or reset: `clk` beside `wb_clk_i`. */
  clocks: Port[];
  resets: { port: Port; activeLow: boolean }[];
  /** Inputs of the bus that a classic single transfer leaves at zero: burst tags, lock. */
  tags: Port[];
}

/** Why a module is no slave. */
export interface SlaveProblem {
  /** A sentence about the module that begins with "it" or "its". */
  text: string;
  /** The port that is to blame, where it is one. */
  port?: string;
}

export type RoleOutcome = { kind: 'slave'; match: RoleMatch } | { kind: 'no slave'; problem: SlaveProblem };

interface Candidate {
  port: Port;
  reading: Reading;
}

/** Bits of a word of the bus: wider data ports cannot be connected, narrower ones are extended with zeros. */
const WORD_BITS = 32;

/** Which ports of a module can be a signal, by direction, stem and width. */
function candidates(
  module: CandidateModule,
  direction: Port['direction'],
  stems: Stem[],
  fits: (width: number) => boolean,
) {
  const found: Candidate[] = [];
  for (const port of module.ports) {
    if (port.direction !== direction || !fits(port.width)) continue;
    const reading = readingsOf(port.name).find(({ stem }) => stems.includes(stem));
    if (reading) found.push({ port, reading });
  }
  return found;
}

const one = (width: number) => width === 1;
const any = () => true;

/**
 * Finds the bus of a module: the acknowledge output and the strobe or cycle input that belong together first,
 * then everything else that fits their prefix or has a prefix that says nothing.
 */
export function findRoles(module: CandidateModule): RoleOutcome {
  const strong = ({ reading }: Candidate) => !reading.weak;
  const acks = candidates(module, 'output', ['ack'], one).filter(strong);
  const requests = candidates(module, 'input', ['stb', 'cyc'], one).filter(strong);
  if (acks.length === 0 || requests.length === 0)
    return { kind: 'no slave', problem: whyNoBus(module, acks.length > 0, requests.length > 0) };

  const anchor = findAnchor(module, acks, requests);
  if (typeof anchor === 'string') return { kind: 'no slave', problem: { text: anchor } };
  const { prefixes } = anchor;
  const cost = (reading: Reading) => (prefixes.has(reading.prefix) ? 0 : isGeneric(reading.prefix) ? 1 : 2);

  /** The best candidate: same prefix before a prefix that says nothing; others do not belong to the bus. */
  const pick = (
    direction: Port['direction'],
    stems: Stem[],
    fits: (width: number) => boolean,
    farthest = 1,
  ): Port | undefined =>
    candidates(module, direction, stems, fits)
      .filter(({ reading }) => cost(reading) <= (reading.weak ? 0 : farthest))
      .sort((a, b) => Number(a.reading.weak) - Number(b.reading.weak) || cost(a.reading) - cost(b.reading))[0]
      ?.port;

  const roles: RoleMatch['roles'] = {};
  const set = (role: Role, port: Port | undefined) => {
    if (port) roles[role] = port;
  };
  set('ack', pick('output', ['ack'], one));
  set('cyc', pick('input', ['cyc'], one));
  set('stb', pick('input', ['stb'], one));
  set('we', pick('input', ['we'], any));
  set('adr', pick('input', ['adr'], any));
  set('dat_w', pick('input', ['dat', 'dat_w'], any));
  set('dat_r', pick('output', ['dat', 'dat_r'], any));
  set('sel', pick('input', ['sel'], any));
  // An output `err` elsewhere in a design is a status; only one of the bus itself ends a transfer.
  set('stall', pick('output', ['stall'], one, 0));
  set('err', pick('output', ['err'], one, 0));
  set('rty', pick('output', ['rty'], one, 0));

  const data = [roles.dat_w, roles.dat_r].filter((port) => port !== undefined);
  if (data.length === 0)
    return {
      kind: 'no slave',
      problem: { text: 'it has neither write data (wb_dat_w) nor read data (wb_dat_r)' },
    };
  const wide = data.find((port) => port.width > WORD_BITS);
  if (wide)
    return noSlave(
      `its data port ${wide.name} is ${wide.width} bits wide; ${WORD_BITS} are possible at most`,
      wide,
    );
  if (roles.adr && roles.adr.width > 64)
    return noSlave(`its address port ${roles.adr.name} is ${roles.adr.width} bits wide`, roles.adr);
  return {
    kind: 'slave',
    match: { roles, ...clocksAndResets(module, roles, cost), tags: tagsOf(module, cost) },
  };
}

const noSlave = (text: string, port: Port): RoleOutcome => ({
  kind: 'no slave',
  problem: { text, port: port.name },
});

/** The acknowledge and the request that belong together; a sentence when that cannot be told. */
function findAnchor(
  module: CandidateModule,
  acks: Candidate[],
  requests: Candidate[],
): { prefixes: Set<string> } | string {
  const prefixes = [...new Set(acks.map(({ reading }) => reading.prefix))];
  const complete = prefixes
    .filter((prefix) => requests.some(({ reading }) => reading.prefix === prefix))
    .map((prefix) => ({ prefix, size: groupSize(module, prefix) }))
    .sort((a, b) => b.size - a.size);
  const [first, second] = complete;
  if (first) {
    // Five signals with one prefix are a bus: strobe, acknowledge, write enable, address or data of each way.
    if (second && second.size >= 5)
      return `it has more than one slave port (${first.prefix || 'no prefix'}, ${second.prefix || 'no prefix'}); one is possible`;
    return { prefixes: new Set([first.prefix]) };
  }
  const asked = [...new Set(requests.map(({ reading }) => reading.prefix))];
  const ack = prefixes.find(isGeneric) ?? prefixes[0]!;
  const request = asked.find(isGeneric) ?? asked[0]!;
  if (!isGeneric(ack) && !isGeneric(request))
    return `its acknowledge (${names(acks)}) and its strobe (${names(requests)}) do not belong together`;
  return { prefixes: new Set([ack, request]) };
}

const names = (found: Candidate[]) => found.map(({ port }) => port.name).join(', ');

/** How many different signals of a slave carry one prefix. */
function groupSize(module: CandidateModule, prefix: string): number {
  const inputs: Stem[] = ['cyc', 'stb', 'we', 'adr', 'dat', 'dat_w', 'sel'];
  const outputs: Stem[] = ['ack', 'dat', 'dat_r', 'stall', 'err', 'rty'];
  const stems = new Set<string>();
  for (const { direction, name } of module.ports)
    for (const { stem, prefix: own, weak } of readingsOf(name))
      if (own === prefix && !weak && (direction === 'input' ? inputs : outputs).includes(stem))
        stems.add(`${direction} ${stem}`);
  return stems.size;
}

function whyNoBus(module: CandidateModule, hasAck: boolean, hasRequest: boolean): SlaveProblem {
  if (module.ports.length === 0) return { text: 'it has no ports' };
  const master =
    candidates(module, 'input', ['ack'], one).length > 0 &&
    candidates(module, 'output', ['stb', 'cyc'], one).length > 0;
  if (master)
    return { text: 'its bus ports are those of a master: strobe is an output and acknowledge an input' };
  const wide = module.ports.find(
    ({ name, direction, width }) =>
      width > 1 &&
      readingsOf(name).some(({ stem, weak }) => !weak && stem === (direction === 'output' ? 'ack' : 'stb')),
  );
  if (wide)
    return { text: `its port ${wide.name} is ${wide.width} bits wide; a slave has one`, port: wide.name };
  const lacks = [
    hasRequest ? '' : 'no strobe or cycle input (wb_stb, wb_cyc)',
    hasAck ? '' : 'no acknowledge output (wb_ack)',
  ].filter((lack) => lack !== '');
  return { text: `it has ${lacks.join(' and ')}` };
}

/** A level of 0 or 1 at which a reset resets, where a parameter names it: the OpenCores idiom ARST_LVL. */
function resetLevel(module: CandidateModule): number | undefined {
  for (const [name, value] of Object.entries(module.parameters ?? {}))
    if (/^(?:A?RST|A?RESET)_?(?:LVL|LEVEL)$/i.test(name)) return value & 1;
  return undefined;
}

/**
 * The clock, the reset with its polarity, and what is plainly the same signal again. The polarity comes from
 * the elaborated design where an asynchronous reset shows it, else from the name.
 */
function clocksAndResets(
  module: CandidateModule,
  roles: RoleMatch['roles'],
  cost: (reading: Reading) => number,
): Pick<RoleMatch, 'resetActiveLow' | 'clocks' | 'resets'> {
  const rank = (found: Candidate[]) =>
    found
      .filter(({ reading }) => cost(reading) <= 1)
      .sort((a, b) => cost(a.reading) - cost(b.reading) || a.reading.prefix.length - b.reading.prefix.length)
      .map(({ port }) => port);
  const named = candidates(module, 'input', ['clk'], one);
  const clocks = rank(named);
  const edges = module.edges ?? {};
  // No name helps: the input that most registers wait for.
  if (clocks.length === 0) {
    const busy = module.ports
      .filter(
        ({ name, direction, width }) => direction === 'input' && width === 1 && edges[name] !== undefined,
      )
      .filter((port) => !candidates(module, 'input', ['rst', 'rst_n'], one).some((one) => one.port === port))
      .sort((a, b) => total(edges[b.name]) - total(edges[a.name]));
    clocks.push(...(busy.length > 0 ? busy.slice(0, 1) : named.slice(0, 1).map(({ port }) => port)));
  }
  if (clocks[0]) roles.clk = clocks[0];

  const foundResets = candidates(module, 'input', ['rst', 'rst_n'], one);
  const ranked = rank(foundResets);
  const resets = ranked.length > 0 ? ranked : foundResets.slice(0, 1).map(({ port }) => port);
  const activeLow = (port: Port): boolean => {
    const edge = edges[port.name];
    if (edge && edge.rise > 0 !== edge.fall > 0) return edge.fall > 0;
    const isNamedLow = readingsOf(port.name)[0]?.stem === 'rst_n';
    const isAsync = /^a(?:rst|reset)/.test(port.name.toLowerCase().replaceAll('_', ''));
    return isAsync && !isNamedLow ? resetLevel(module) === 0 : isNamedLow;
  };
  const [reset, ...further] = resets;
  if (reset) roles.rst = reset;
  return {
    resetActiveLow: reset !== undefined && activeLow(reset),
    clocks: clocks.slice(1),
    resets: further.map((port) => ({ port, activeLow: activeLow(port) })),
  };
}

const total = (edge: { rise: number; fall: number } | undefined) => (edge ? edge.rise + edge.fall : 0);

const tagsOf = (module: CandidateModule, cost: (reading: Reading) => number) =>
  candidates(module, 'input', ['tag'], any)
    .filter(({ reading }) => cost(reading) <= 1)
    .map(({ port }) => port);

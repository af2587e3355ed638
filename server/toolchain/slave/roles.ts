import type { Port } from '../../contract/designs/uploads.ts';
import type { CandidateModule } from './candidate.ts';
import { type ClocksAndResets, clocksAndResets } from './clocks-and-resets.ts';
import { any, type Candidate, candidates, one } from './fitting-ports.ts';
import { otherBusOf } from './other-buses.ts';
import { isGeneric, type Reading, readingsOf, type Stem } from './port-names.ts';

/** Signals of the bus: the keys of MatchedDesign.roles. */
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

/** The bus of a module. */
export interface RoleMatch extends ClocksAndResets {
  roles: Partial<Record<Role, Port>>;
  /** Inputs that a classic single transfer leaves at 0: burst tags, lock. */
  tags: Port[];
}

/** Why a module is no slave. */
export interface SlaveProblem {
  /** A sentence about the module that begins with "it" or "its". */
  text: string;
  /** The port at fault, if it is one. */
  port?: string;
  /** The kind of its bus, where the ports are clearly a bus. This reason goes before all others. */
  bus?: BusProblem;
  /** The module has some signals of a slave. */
  signals?: true;
}

/** A bus that the bench cannot connect as it is. */
type BusProblem =
  /** Wishbone with several slave ports, or with ports of an impossible width. */
  | { kind: 'several' | 'unfit' | 'master' }
  /** Another bus. */
  | { kind: 'other'; name: string };

/** Whether a module is a slave, with its bus or the reason. */
export type RoleOutcome = { kind: 'slave'; match: RoleMatch } | { kind: 'no slave'; problem: SlaveProblem };

/** Width of the bus. Wider data ports cannot be connected; narrower ones are zero-extended. */
const WORD_BITS = 32;

/**
 * Finds the bus of a module: first an acknowledge output and a strobe or cycle input that belong together, then all ports
 * with the same or a generic prefix.
 */
export function findRoles(module: CandidateModule): RoleOutcome {
  const strong = ({ reading }: Candidate) => !reading.weak;
  const acks = candidates(module, 'output', ['ack'], one).filter(strong);
  const requests = candidates(module, 'input', ['stb', 'cyc'], one).filter(strong);
  if (acks.length === 0 || requests.length === 0)
    return { kind: 'no slave', problem: whyNoBus(module, acks.length > 0, requests.length > 0) };

  const anchor = findAnchor(module, acks, requests);
  if ('text' in anchor) return { kind: 'no slave', problem: anchor };
  const { prefixes } = anchor;
  const cost = (reading: Reading) => (prefixes.has(reading.prefix) ? 0 : isGeneric(reading.prefix) ? 1 : 2);

  /** The best candidate: the same prefix, then a generic one. Ports with another prefix are not part of the bus. */
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
  // An output `err` of another prefix is a status; only that of the bus ends a transfer.
  set('stall', pick('output', ['stall'], one, 0));
  set('err', pick('output', ['err'], one, 0));
  set('rty', pick('output', ['rty'], one, 0));

  const data = [roles.dat_w, roles.dat_r].filter((port) => port !== undefined);
  if (data.length === 0)
    return {
      kind: 'no slave',
      problem: { text: 'it has neither write data (wb_dat_w) nor read data (wb_dat_r)', signals: true },
    };
  const wide = data.find((port) => port.width > WORD_BITS);
  if (wide)
    return noSlave(
      `its data port ${wide.name} is ${wide.width} bits wide; the maximum is ${WORD_BITS}`,
      wide,
    );
  if (roles.adr && roles.adr.width > 64)
    return noSlave(
      `its address port ${roles.adr.name} is ${roles.adr.width} bits wide; the maximum is 64`,
      roles.adr,
    );
  return {
    kind: 'slave',
    match: { roles, ...clocksAndResets(module, roles, cost), tags: tagsOf(module, cost) },
  };
}

const noSlave = (text: string, port: Port): RoleOutcome => ({
  kind: 'no slave',
  problem: { text, port: port.name, bus: { kind: 'unfit' } },
});

/** The prefixes of the acknowledge and the request that belong together, or why there are none. */
function findAnchor(
  module: CandidateModule,
  acks: Candidate[],
  requests: Candidate[],
): { prefixes: Set<string> } | SlaveProblem {
  const prefixes = [...new Set(acks.map(({ reading }) => reading.prefix))];
  const complete = prefixes
    .filter((prefix) => requests.some(({ reading }) => reading.prefix === prefix))
    .map((prefix) => ({ prefix, size: groupSize(module, prefix) }))
    .sort((a, b) => b.size - a.size);
  const [first, second] = complete;
  if (first) {
    // Five signals with one prefix are a bus: strobe, acknowledge, write enable, and address or data.
    if (second && second.size >= 5)
      return {
        bus: { kind: 'several' },
        text: `it has more than one slave port (${first.prefix || 'no prefix'}, ${second.prefix || 'no prefix'}); the bench connects only one`,
      };
    return { prefixes: new Set([first.prefix]) };
  }
  const requestPrefixes = [...new Set(requests.map(({ reading }) => reading.prefix))];
  const ack = prefixes.find(isGeneric) ?? prefixes[0]!;
  const request = requestPrefixes.find(isGeneric) ?? requestPrefixes[0]!;
  if (!isGeneric(ack) && !isGeneric(request))
    return {
      text: `its acknowledge (${names(acks)}) and its strobe (${names(requests)}) do not belong together`,
      signals: true,
    };
  return { prefixes: new Set([ack, request]) };
}

const names = (found: Candidate[]) => found.map(({ port }) => port.name).join(', ');

/** Number of different slave signals with a prefix. */
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
  const other = otherBusOf(module.ports);
  // A module with signals of Wishbone and a stream is not read or written through the stream.
  const streams = other?.name === 'AXI4-Stream' && (hasAck || hasRequest);
  if (other?.side === 'slave' && !streams)
    return {
      text: `its bus is ${other.name} (${other.ports.join(', ')}), not Wishbone`,
      bus: { kind: 'other', name: other.name },
    };
  const master =
    candidates(module, 'input', ['ack'], one).length > 0 &&
    candidates(module, 'output', ['stb', 'cyc'], one).length > 0;
  if (master)
    return {
      text: 'its bus ports are those of a master: strobe is an output and acknowledge an input',
      bus: { kind: 'master' },
    };
  if (other && !streams)
    return {
      text: `it is a master of ${other.name} (${other.ports.join(', ')}), not a slave`,
      bus: { kind: 'master' },
    };
  const wide = module.ports.find(
    ({ name, direction, width }) =>
      width > 1 &&
      readingsOf(name).some(({ stem, weak }) => !weak && stem === (direction === 'output' ? 'ack' : 'stb')),
  );
  if (wide)
    return {
      text: `its port ${wide.name} is ${wide.width} bits wide; it must have one bit`,
      port: wide.name,
    };
  const lacks = [
    hasRequest ? '' : 'no strobe or cycle input (wb_stb, wb_cyc)',
    hasAck ? '' : 'no acknowledge output (wb_ack)',
  ].filter((lack) => lack !== '');
  return { text: `it has ${lacks.join(' and ')}`, ...((hasAck || hasRequest) && { signals: true as const }) };
}

const tagsOf = (module: CandidateModule, cost: (reading: Reading) => number) =>
  candidates(module, 'input', ['tag'], any)
    .filter(({ reading }) => cost(reading) <= 1)
    .map(({ port }) => port);

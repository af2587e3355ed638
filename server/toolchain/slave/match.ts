import type { MatchedDesign, Port } from '../../contract/designs/uploads.ts';
import { decideAddressing, isContract } from './addressing.ts';
import { wishesOf } from './board-file.ts';
import type { CandidateModule, MatchOptions } from './candidate.ts';
import { isReset } from './clocks-and-resets.ts';
import { containedIn, partsOfBuses, withHints } from './parts-of-buses.ts';
import { choosePins } from './pins.ts';
import { findRoles, type Role, type RoleMatch, type SlaveProblem } from './roles.ts';
import { findTerminal } from './terminal.ts';
import { tieOf } from './ties.ts';

/** Result of matching all modules of a design. */
export type MatchOutcome =
  | { kind: 'matched'; design: MatchedDesign; notes: string[] }
  /** With the module that is nearest to a slave, if there is any. */
  | { kind: 'none'; nearest: { module: string; problem: SlaveProblem } | null }
  | { kind: 'ambiguous'; candidates: string[] }
  | { kind: 'unknown top'; top: string; modules: string[] }
  | { kind: 'top is no slave'; top: string; problem: SlaveProblem }
  | { kind: 'bad tie'; field: 'ties' | 'pins'; module: string; port: string; problem: string };

/** Outcome of the matcher, with its reason for each module. */
export interface MatchReport {
  outcome: MatchOutcome;
  /** Why a module is no slave; null for a slave. */
  problems: Map<string, SlaveProblem | null>;
}

/** Names of the bench's own modules. A design must not define them. */
export const RESERVED_MODULE = /^wishbench_/i;

/**
 * Finds the Wishbone slave among the modules of a design. A module inside a slave is no candidate. Pure: the same modules
 * and options give the same outcome.
 */
export function matchDesign(modules: CandidateModule[], options: MatchOptions = {}): MatchReport {
  const problems = new Map<string, SlaveProblem | null>();
  const slaves = new Map<string, RoleMatch>();
  for (const module of modules) {
    const found = findRoles(module);
    problems.set(module.name, found.kind === 'slave' ? null : found.problem);
    if (found.kind === 'slave') slaves.set(module.name, found.match);
  }
  const byName = new Map(modules.map((module) => [module.name, module]));
  const conclude = (name: string, notes: string[] = []): MatchReport => ({
    outcome: describe(byName.get(name)!, slaves.get(name)!, options, notes),
    problems,
  });

  if (options.top !== undefined) {
    const lower = options.top.toLowerCase();
    const top = byName.has(options.top)
      ? options.top
      : modules.find(({ name }) => name.toLowerCase() === lower)?.name;
    if (top === undefined)
      return {
        outcome: { kind: 'unknown top', top: options.top, modules: modules.map(({ name }) => name) },
        problems,
      };
    const problem = problems.get(top);
    return problem ? { outcome: { kind: 'top is no slave', top, problem }, problems } : conclude(top);
  }

  const contained = containedIn(byName, [...slaves.keys()]);
  const candidates = [...slaves.keys()].filter((name) => !contained.has(name));
  // A module inside one with its own bus is a part of the design.
  const parts = partsOfBuses(byName, problems);
  const whole = candidates.filter((name) => !parts.has(name));
  if (whole.length === 0) {
    const explained = withHints(problems, candidates, parts);
    return { outcome: { kind: 'none', nearest: nearestOf(explained) }, problems: explained };
  }
  if (whole.length > 1) return { outcome: { kind: 'ambiguous', candidates: whole }, problems };
  const [chosen] = whole as [string];
  const owners = modules.filter(
    ({ instantiates, ports }) => ports.length > 0 && instantiates?.includes(chosen),
  );
  return conclude(
    chosen,
    owners.map(({ name }) => `${chosen} is part of ${name}, which is not a slave; only ${chosen} is built`),
  );
}

/** How near a problem is to a slave; 0 is the nearest. */
function distance({ bus, signals }: SlaveProblem): number {
  if (bus) return ['several', 'unfit', 'other', 'master'].indexOf(bus.kind);
  return signals ? 4 : 5;
}

/** The module that is nearest to a slave; the first of several. */
function nearestOf(
  problems: ReadonlyMap<string, SlaveProblem | null>,
): { module: string; problem: SlaveProblem } | null {
  let nearest: { module: string; problem: SlaveProblem } | null = null;
  for (const [module, problem] of problems)
    if (problem && (nearest === null || distance(problem) < distance(nearest.problem)))
      nearest = { module, problem };
  return nearest;
}

const plain = ({ name, direction, width, offset }: Port): Port => ({ name, direction, width, offset });

function describe(
  module: CandidateModule,
  match: RoleMatch,
  options: MatchOptions,
  notes: string[],
): MatchOutcome {
  const { clocks, resets, tags } = match;
  const roles: Partial<Record<Role, Port>> = { ...match.roles };
  const requested = new Map<Port, 0 | 1>();
  for (const [name, value] of Object.entries(options.ties ?? {})) {
    const port =
      module.ports.find((one) => one.name === name) ??
      module.ports.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const refuse = (problem: string): MatchOutcome => ({
      kind: 'bad tie',
      field: 'ties',
      module: module.name,
      port: name,
      problem,
    });
    if (!port) return refuse(`${module.name} has no port ${name}`);
    if (port.direction !== 'input') return refuse(`${name} is an ${port.direction}, not an input`);
    const role = Object.entries(roles).find(([, one]) => one === port)?.[0];
    if (role !== undefined && role !== 'rst' && role !== 'sel') return refuse(`${name} is the bus's ${role}`);
    requested.set(port, value);
    for (const role of ['rst', 'sel'] as const) if (roles[role] === port) delete roles[role];
  }

  const named: Record<string, string> = {};
  for (const [role, port] of Object.entries(roles)) named[role] = port.name;
  const connected = new Set<Port>(Object.values(roles));
  const again = (ports: Port[], key: (nth: number) => string) =>
    ports
      .filter((port) => !requested.has(port))
      .forEach((port, at) => {
        named[key(at + 2)] = port.name;
        connected.add(port);
      });
  again(clocks, (nth) => `clk_${nth}`);
  const resetsAt = (low: boolean) =>
    resets.flatMap(({ port, activeLow }) => (activeLow === low ? [port] : []));
  again(resetsAt(false), (nth) => `rst_${nth}`);
  again(resetsAt(true), (nth) => `rst_n_${nth}`);

  const rest = module.ports.filter((port) => !connected.has(port));
  const ties = rest
    .filter(({ direction }) => direction === 'input')
    .map((port): MatchedDesign['ties'][number] => {
      const at = (value: 0 | 1, reason: string) => ({ port: port.name, width: port.width, value, reason });
      const value = requested.get(port);
      if (value !== undefined) return at(value, 'set by the form field ties');
      if (tags.includes(port)) return at(0, 'single classic transfers only');
      const use = module.registerInputs?.[port.name];
      return use && isReset(use) && use.rise === 0 ? at(1, 'an active-low asynchronous reset') : tieOf(port);
    });
  const { boardFile } = options;
  const filed = boardFile && wishesOf(boardFile, rest);
  if (filed) notes.push(...filed.notes);
  const tagNames = new Set(tags.map(({ name }) => name));
  const chosen = choosePins(
    ties.filter(({ port }) => !tagNames.has(port)),
    rest.filter(({ direction }) => direction === 'output'),
    { ...filed?.wishes, ...options.pins },
    rest
      .filter(({ direction }) => direction === 'inout')
      .map((port) => ({ name: port.name, width: port.width, high: tieOf(port).value === 1 })),
  );
  if ('problem' in chosen) return { kind: 'bad tie', field: 'pins', module: module.name, ...chosen };
  const { pins } = chosen;
  const terminal = findTerminal(pins, module.parameters);
  const bound = new Set(pins.flatMap((pin) => (pin.bound ? [pin.name] : [])));

  const dataWidth = Math.max(roles.dat_w?.width ?? 0, roles.dat_r?.width ?? 0);
  const use = (roles.adr && module.addressUse?.(roles.adr.name)) ?? null;
  const { addressing, reason, doubt } = decideAddressing(use, roles, dataWidth, options.addressing);
  if (!isContract(roles) && roles.we === undefined)
    notes.push('the design has no write enable: it can only be read');
  if (roles.clk === undefined) notes.push('the design has no clock: it is treated as combinational');
  if (roles.dat_w && roles.dat_r && roles.dat_w.width !== roles.dat_r.width)
    notes.push(`write data is ${roles.dat_w.width} bits wide and read data ${roles.dat_r.width}`);
  return {
    kind: 'matched',
    notes,
    design: {
      module: module.name,
      ...module.declared,
      roles: named,
      dataWidth,
      addressWidth: roles.adr?.width ?? 0,
      addressing,
      addressingReason: reason,
      ...(doubt && { addressingDoubt: doubt }),
      resetActiveLow: roles.rst !== undefined && match.resetActiveLow,
      handshake: roles.stall ? 'pipelined' : 'classic',
      ties: ties.filter(({ port }) => !bound.has(port)),
      pins,
      ...(terminal && { terminal }),
      open: rest
        .filter(({ name, direction }) => direction !== 'input' && !pins.some((pin) => pin.name === name))
        .map(({ name }) => name),
      ports: module.ports.map(plain),
    },
  };
}

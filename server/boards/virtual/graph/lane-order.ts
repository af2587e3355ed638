import { type Node, OP } from './boolean-graph.ts';
import type { Design, Register } from './lower.ts';

/** Registers of a word by bit; null where a bit is unused. */
export type Lanes = (Register | null)[];

/** The bits of a word whose registers match. */
export const lanesWhere = (lanes: Lanes, fits: (register: Register) => boolean): number =>
  lanes.reduce((mask, register, lane) => (register && fits(register) ? mask | (1 << lane) : mask), 0);

const WORD = 32;
/** Minimum bits that a group shares with a track to follow it, and maximum lanes of a group. */
const TRACK = 4;
/** Share of a group that must have positions before they are adopted. */
const SURE = 0.8;
const LIKELY = 0.5;
/** Minimum parallel chains that count as a bus with stages. */
const WIDE = 12;
const MAX_LANES = 128;

/** The place of a state bit: a track of neighbouring bits and its position in it. */
interface Position {
  track: number;
  at: number;
}

/**
 * Orders the registers of groups, so that related bits have the same position in every group. A move between words is
 * then one operation. Positions come from block RAM ports, shift registers and counters, and from ordered groups that a
 * group reads or feeds.
 */
export function orderLanes(
  design: Design,
  groups: Register[][],
  leavesOf: (r: Register) => number[],
): Lanes[] {
  return new LaneOrder(design, groups, leavesOf).order();
}

class LaneOrder {
  readonly #positions = new Map<number, Position>();
  readonly #ordered = new Map<Register[], (Register | null)[]>();
  /** Per register: state bits that it reads and most of its group do not. */
  readonly #sources = new Map<Register, number[]>();
  /** Per register: how many others of its group it reads. */
  readonly #inner = new Map<Register, number>();
  #tracks = 0;

  readonly #groups: Register[][];
  readonly #design: Design;

  constructor(design: Design, groups: Register[][], leavesOf: (register: Register) => number[]) {
    this.#design = design;
    this.#groups = groups.flatMap((group) => stagesOf(group, leavesOf));
    for (const group of this.#groups) {
      const counts = new Map<number, number>();
      const leaves = group.map(({ state }) => design.neighbourhood.near[state] ?? []);
      const all = group.map(leavesOf);
      const states = new Set(group.map(({ state }) => state));
      for (const list of leaves) for (const leaf of list) counts.set(leaf, (counts.get(leaf) ?? 0) + 1);
      group.forEach((register, k) => {
        const own = (leaves[k] ?? []).filter(
          (leaf) => leaf !== register.state && (counts.get(leaf) ?? 0) * 2 <= group.length,
        );
        this.#sources.set(register, own);
        const inner = (all[k] ?? []).filter((leaf) => leaf !== register.state && states.has(leaf));
        this.#inner.set(register, inner.length);
      });
    }
  }

  order(): Lanes[] {
    this.#fromAdders();
    const worth = this.#groups.filter(({ length }) => length >= TRACK);
    const settleOne = (settles: (group: Register[]) => boolean) =>
      worth.some((group) => !this.#ordered.has(group) && settles(group));
    const follow = (least: number) => {
      while (settleOne((group) => this.#fromSources(group, least) || this.#fromReaders(group, least)));
    };
    // Ordered groups order their neighbours, the certain cases first, until nothing changes.
    follow(SURE);
    this.#fromRams();
    do {
      follow(SURE);
      if (settleOne((group) => this.#fromWithin(group))) continue;
      if (settleOne((group) => this.#fromSources(group, LIKELY) || this.#fromReaders(group, LIKELY)))
        continue;
      // Where nothing follows, the first remaining group keeps its order.
      settleOne((group) => this.#settle(group, group));
    } while (worth.some((group) => !this.#ordered.has(group)));
    return this.#groups.flatMap((group) => {
      const lanes = this.#ordered.get(group) ?? group;
      const words: Lanes[] = [];
      for (let at = 0; at < lanes.length; at += WORD) {
        const word = lanes.slice(at, at + WORD);
        if (word.some((register) => register !== null)) words.push(word);
      }
      return words;
    });
  }

  #fromAdders(): void {
    const longestFirst = this.#design.neighbourhood.adders.toSorted((x, y) => y.length - x.length);
    for (const adder of longestFirst) {
      const track = this.#tracks++;
      adder.forEach((operands, at) => {
        for (const state of operands)
          if (!this.#positions.has(state)) this.#positions.set(state, { track, at });
      });
    }
  }

  #fromRams(): void {
    const { graph } = this.#design;
    const place = (nodes: readonly Node[]) => {
      const track = this.#tracks++;
      nodes.forEach((node, at) => {
        const state = graph.operator(node) === OP.state ? graph.first(node) : -1;
        if (state >= 0 && !this.#positions.has(state)) this.#positions.set(state, { track, at });
      });
    };
    for (const { source, state, read, write } of this.#design.rams) {
      // A RAM of full width takes its order from the registers around it, see ram-order.ts.
      const wide = source.readMode === 0;
      const track = this.#tracks++;
      for (let bit = 0; bit < 16 && !wide; bit++)
        if (!this.#positions.has(state + bit))
          this.#positions.set(state + bit, { track, at: bit >> source.readMode });
      place([...read.address, ...read.lane]);
      if (!write) continue;
      place([...write.address, ...write.lane]);
      if (source.writeMode !== 0) place(write.data);
    }
  }

  /** In a shift register each bit reads one other, in a counter all lower ones. */
  #fromWithin(group: Register[]): boolean {
    const states = new Set(group.map(({ state }) => state));
    const single = group.filter(
      (register) => (this.#sources.get(register) ?? []).filter((leaf) => states.has(leaf)).length === 1,
    );
    if (single.length * 10 >= group.length * 6) {
      return this.#settle(group, inChains(group, this.#sources));
    }
    const rank = (register: Register) => this.#inner.get(register) ?? 0;
    if (new Set(group.map(rank)).size * 10 < group.length * 6) return false;
    return this.#settle(
      group,
      [...group].sort((x, y) => rank(x) - rank(y)),
    );
  }

  /** Adopts the positions of the track that most members read. */
  #fromSources(group: Register[], least: number): boolean {
    return this.#takeOver(group, (register) => this.#sources.get(register) ?? [], least);
  }

  /** Adopts the positions of the registers that read the members. */
  #fromReaders(group: Register[], least: number): boolean {
    const readers = this.#readersOf();
    return this.#takeOver(group, (register) => readers.get(register.state) ?? [], least);
  }

  #readers: Map<number, number[]> | null = null;

  #readersOf(): Map<number, number[]> {
    if (this.#readers) return this.#readers;
    const readers = new Map<number, number[]>();
    for (const [register, sources] of this.#sources)
      for (const source of sources) {
        const known = readers.get(source);
        if (known) known.push(register.state);
        else readers.set(source, [register.state]);
      }
    this.#readers = readers;
    return readers;
  }

  /** @param least share of the members that must have found a position */
  #takeOver(group: Register[], neighbours: (register: Register) => number[], least: number): boolean {
    const tracks = new Map<number, Map<Register, number[]>>();
    for (const register of group)
      for (const state of [register.state, ...neighbours(register)]) {
        const position = this.#positions.get(state);
        if (!position) continue;
        const track = tracks.get(position.track) ?? new Map<Register, number[]>();
        track.set(register, [...(track.get(register) ?? []), position.at]);
        tracks.set(position.track, track);
      }
    const ranked = [...tracks.values()].map(unambiguous).sort((x, y) => y.size - x.size);
    // Parallel tracks make a wide vector: two block RAMs make a bus of 32 bits.
    const lanes: (Register | null)[] = [];
    const placed = new Set<Register>();
    for (const track of ranked) {
      const fresh = [...track].filter(([register]) => !placed.has(register));
      if (fresh.length < TRACK) continue;
      const offset = lanes.length;
      const length = Math.max(...[...track.values()].map((at) => at + 1));
      if (offset + length > MAX_LANES) continue;
      for (let lane = 0; lane < length; lane++) lanes.push(null);
      for (const [register, at] of fresh) {
        lanes[offset + at] = register;
        placed.add(register);
      }
    }
    if (placed.size < least * group.length) return false;
    for (const register of group) {
      if (placed.has(register)) continue;
      const hole = lanes.indexOf(null);
      if (hole >= 0) lanes[hole] = register;
      else lanes.push(register);
    }
    return this.#settle(group, lanes);
  }

  #settle(group: Register[], wanted: (Register | null)[]): true {
    // Registers that fit into one word must not be spread over two.
    const first = wanted.findIndex((register) => register !== null);
    const lanes = wanted.slice(Math.min(first, Math.max(0, wanted.length - WORD)));
    this.#ordered.set(group, lanes);
    const track = this.#tracks++;
    lanes.forEach((register, at) => {
      if (register) this.#positions.set(register.state, { track, at });
    });
    return true;
  }
}

/**
 * A different position for each member, as far as possible. A member with several candidates on a track gets the
 * highest or the lowest, whichever gives more distinct positions.
 */
function unambiguous(candidates: Map<Register, number[]>): Map<Register, number> {
  let best = new Map<Register, number>();
  const choices = [
    (at: number[]) => (new Set(at).size === 1 ? at[0] : undefined),
    (at: number[]) => Math.max(...at),
    (at: number[]) => Math.min(...at),
  ];
  for (const choose of choices) {
    const taken = new Set<number>();
    const found = new Map<Register, number>();
    for (const [register, positions] of candidates) {
      const at = choose(positions);
      if (at === undefined || taken.has(at)) continue;
      taken.add(at);
      found.set(register, at);
    }
    if (found.size > best.size) best = found;
  }
  return best;
}

/** Parallel chains: a step along each is the same number of positions. */
function inChains(group: Register[], sources: Map<Register, number[]>): Lanes {
  const chains = chainsOf(group, (register) => sources.get(register) ?? []);
  const lanes: Lanes = [];
  chains.forEach((chain, k) => {
    chain.forEach((register, depth) => {
      lanes[depth * chains.length + k] = register;
    });
  });
  return Array.from(lanes, (register) => register ?? null);
}

/** Registers in the order in which each reads the one before, longest chain first. */
function chainsOf(group: Register[], sourcesOf: (register: Register) => number[]): Register[][] {
  const byState = new Map(group.map((register) => [register.state, register]));
  const follower = new Map<Register, Register>();
  const heads: Register[] = [];
  for (const register of group) {
    const [inner, ...others] = sourcesOf(register).filter((leaf) => byState.has(leaf));
    const source = inner !== undefined && others.length === 0 ? byState.get(inner) : undefined;
    if (source && source !== register && !follower.has(source)) follower.set(source, register);
    else heads.push(register);
  }
  const reached = new Set<Register>();
  const walk = (head: Register): Register[] => {
    const chain: Register[] = [];
    for (let at: Register | undefined = head; at && !reached.has(at); at = follower.get(at)) {
      reached.add(at);
      chain.push(at);
    }
    return chain;
  };
  const chains = heads.map(walk);
  // A ring has no head: it begins anywhere.
  for (const register of group) if (!reached.has(register)) chains.push(walk(register));
  return chains.sort((x, y) => y.length - x.length);
}

/** A wide bus delayed by several clocks is one word for each clock instead of one long row. */
function stagesOf(group: Register[], leavesOf: (register: Register) => number[]): Register[][] {
  const plain = group.every((register) => leavesOf(register).length === 1);
  if (!plain) return [group];
  const chains = chainsOf(group, leavesOf);
  if (chains.length < WIDE || chains.length === group.length) return [group];
  const stages: Register[][] = [];
  for (const chain of chains)
    chain.forEach((register, depth) => {
      const stage = stages[depth];
      if (stage) stage.push(register);
      else stages[depth] = [register];
    });
  return stages;
}

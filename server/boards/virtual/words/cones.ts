import { type Cone, ConesOf, diagramsOf, simulated, withLeaf } from './cone.ts';
import { DecisionDiagrams, type Diagram } from './decision-diagrams.ts';
import type { Literal, LutGraph } from './lut-graph.ts';
import type { Location } from './parts.ts';

/** Minimum lanes of a group. */
const WORTH = 4;
/** Minimum share of the lanes with different tables: below that there is a shorter way. */
const IRREGULAR = 0.2;
/** A leaf of more lanes than these counts as shared by all of them. */
const OWN = 6;
/** Maximum diagrams for a whole design. */
const MAX_DIAGRAMS = 300_000;
/** Words of patterns for comparing lanes before a proof. */
const PATTERNS = 8;
/** Minimum saving in look-up tables, and failed templates after which the search ends. */
const WORTH_A_PROOF = 80;
const MAX_FAILURES = 3;
/** Maximum template leaves that a lane replaces, also as a share of its leaves, and tables made for each. */
const MAX_MISSING_LEAVES = 6;
const MISSING_PART = 0.1;
const MAX_SUBSTITUTE = 4;

/** Lanes of one function: that of `root`, with other leaves. */
export interface ConeGroup {
  root: Literal;
  lanes: number[];
  /** For each leaf of the root, its replacement in each lane. */
  leaves: Map<number, Literal[]>;
}

interface Member {
  lane: number;
  literal: Literal;
  cone: Cone;
  /** Roles of its own leaves; leaves of one role are interchangeable. */
  roles: Map<number, string>;
  /** Its values for some patterns of its leaves. */
  patterns: number[];
}

interface Position {
  row: string;
  at: number;
}

/** Which leaf replaces which. */
type Places = Map<number, number>;

/** A member that matches the template in all tested patterns with these leaves; some are missing. */
interface Guess {
  member: Member;
  places: Places;
  missing: readonly number[];
}

/**
 * Finds bits that are the same function of different leaves, although they have different tables: synthesis optimises
 * every bit separately. Positions suggest which leaf replaces which. A proof then shows that the functions are equal,
 * with carries as free variables.
 */
export class Cones {
  readonly #graph: LutGraph;
  readonly #locationOf: (node: number) => Location | undefined;
  readonly #cones: ConesOf;
  readonly #positions = new Map<number, Position | null>();
  #left = MAX_DIAGRAMS;

  constructor(graph: LutGraph, locationOf: (node: number) => Location | undefined) {
    this.#graph = graph;
    this.#cones = new ConesOf(graph);
    this.#locationOf = locationOf;
  }

  /** Groups among lanes with different tables. Lanes below 2 are ignored. */
  groups(lanes: readonly Literal[]): ConeGroup[] {
    if (this.#left <= 0) return [];
    const left: Member[] = [];
    const kinds = new Map<string, number>();
    lanes.forEach((literal, lane) => {
      const cone = literal < 2 ? null : this.#cones.of(literal >> 1);
      if (!cone) return;
      left.push({ lane, literal, cone, roles: new Map(), patterns: [] });
      kinds.set(cone.kind, (kinds.get(cone.kind) ?? 0) + 1);
    });
    if (left.length < WORTH || Math.max(...kinds.values()) > (1 - IRREGULAR) * left.length) return [];
    const tables = new Set(left.flatMap(({ cone }) => cone.luts));
    if (tables.size - Math.max(...left.map(({ cone }) => cone.luts.length)) < WORTH_A_PROOF) return [];
    this.#findRoles(left);
    const smallestFirst = left.toSorted((x, y) => x.cone.luts.length - y.cone.luts.length);
    const templates = smallestFirst.map((template) => ({ template, alike: this.#alike(template, left) }));
    return this.#proven(templates);
  }

  /** The largest provable groups, with the smallest cones that have them. */
  #proven(templates: { template: Member; alike: readonly Guess[] }[]): ConeGroup[] {
    const groups: ConeGroup[] = [];
    let left = templates;
    for (let failures = 0; failures < MAX_FAILURES && this.#left > 0; ) {
      left.sort((x, y) => y.alike.length - x.alike.length);
      const [largest] = left;
      if (!largest || largest.alike.length < WORTH) break;
      const group = this.#provenOf(largest.template, largest.alike);
      const done = group.lanes.length >= WORTH ? group.lanes : [];
      if (done.length > 0) groups.push(group);
      else failures++;
      left = left
        .filter((one) => one !== largest && !done.includes(one.template.lane))
        .map(({ template, alike }) => ({
          template,
          alike: alike.filter(({ member }) => !done.includes(member.lane)),
        }));
    }
    return groups;
  }

  /**
   * The role of a lane's own leaf: where it matters, as a function of the shared leaves, if all other own leaves are 0,
   * and if they are 1.
   */
  #findRoles(members: readonly Member[]): void {
    const shared = sharedAmong(members);
    const diagrams = new DecisionDiagrams();
    const variables = new Map([...shared].map((leaf, number) => [leaf, diagrams.variable(number)]));
    for (const { cone, roles } of members)
      for (const others of [0, 1]) {
        const before = diagramsOf(diagrams, cone, (leaf) => variables.get(leaf) ?? others);
        cone.leaves.forEach((own, index) => {
          if (variables.has(own)) return;
          const after = withLeaf(diagrams, cone, before, index, 1 - others);
          const matters = diagrams.xor(before.at(-1) ?? 0, after);
          roles.set(own, `${roles.get(own) ?? ''} ${matters}`);
        });
      }
    this.#left -= diagrams.size;
  }

  /** Members that match the template for some patterns, or could with replacements of missing leaves. */
  #alike(template: Member, members: readonly Member[]): Guess[] {
    return members.flatMap((member) => {
      if (Math.abs(member.cone.leaves.length - template.cone.leaves.length) > MAX_MISSING_LEAVES) return [];
      const places = this.#placesIn(template, member);
      const missing = template.cone.leaves.filter((leaf) => !places.has(leaf));
      if (missing.length > Math.min(MAX_MISSING_LEAVES, MISSING_PART * template.cone.leaves.length))
        return [];
      for (let k = 0; k < PATTERNS; k++) {
        const pattern = (node: number) => noise(node * PATTERNS + k);
        member.patterns[k] ??= patternsOf(member, pattern);
        const withHigh = (high: number) =>
          patternsOf(template, (leaf) => {
            const place = places.get(leaf);
            return place === undefined ? (leaf === high ? -1 : 0) : pattern(place);
          });
        const plain = withHigh(-1);
        const open = missing.reduce((mask, leaf) => mask | (withHigh(leaf) ^ plain), 0);
        if ((((member.patterns[k] ?? 0) ^ plain) & ~open) !== 0) return [];
      }
      return [{ member, places, missing }];
    });
  }

  /** The guesses that a proof confirms. */
  #provenOf(template: Member, alike: readonly Guess[]): ConeGroup {
    const group: ConeGroup = { root: template.literal, lanes: [], leaves: new Map() };
    for (const leaf of template.cone.leaves) group.leaves.set(leaf, []);
    const uses = new Map<number, number>();
    for (const { member } of alike)
      for (const leaf of member.cone.leaves) uses.set(leaf, (uses.get(leaf) ?? 0) + 1);
    // Shared leaves decide the use of the rest: they come first in the order.
    const order = [...template.cone.leaves].sort((x, y) => (uses.get(y) ?? 0) - (uses.get(x) ?? 0));
    // With one set, the template's diagrams are made once for all members.
    const diagrams = new DecisionDiagrams();
    for (const { member, places, missing } of alike) {
      const variables = new Map<number, Diagram>();
      const instead = new Map<number, Diagram>();
      const leaves = order.map((leaf) => places.get(leaf) ?? -1);
      leaves.push(...member.cone.leaves.filter((leaf) => !leaves.includes(leaf)));
      leaves.forEach((leaf, number) => {
        if (leaf >= 0) variables.set(leaf, diagrams.variable(number));
      });
      const wanted = this.#rootOf(diagrams, member, (leaf) => variables.get(leaf) ?? 0);
      const found = new Map<number, Diagram>();
      const templateNow = () =>
        this.#rootOf(diagrams, template, (leaf) => {
          const place = places.get(leaf);
          return (place === undefined ? found.get(leaf) : variables.get(place)) ?? 0;
        });
      const plain = templateNow();
      for (const leaf of missing) {
        // Where the template depends on this leaf, the replacement must have the wanted value.
        found.set(leaf, 1);
        const care = diagrams.xor(templateNow(), plain);
        found.delete(leaf);
        instead.set(leaf, diagrams.within(diagrams.xor(wanted, plain), care));
      }
      for (const [leaf, diagram] of instead) found.set(leaf, diagram);
      const same = templateNow() === wanted;
      if (diagrams.exhausted) break;
      if (!same) continue;
      const substitutes = missing.map((leaf) => this.#built(diagrams, instead.get(leaf) ?? 0, leaves));
      if (substitutes.includes(null)) continue;
      group.lanes.push(member.lane);
      for (const [leaf, list] of group.leaves) {
        const place = places.get(leaf);
        list[member.lane] = place === undefined ? (substitutes[missing.indexOf(leaf)] ?? 0) : 2 * place;
      }
    }
    this.#left -= diagrams.size;
    return group;
  }

  /** Look-up tables for a function of leaves, which its variables number; null where it takes too many. */
  #built(diagrams: DecisionDiagrams, diagram: Diagram, leaves: readonly number[]): Literal | null {
    const known = new Map<Diagram, Literal>();
    const build = (of: Diagram): Literal => {
      if (of < 2) return of;
      const before = known.get(of);
      if (before !== undefined || known.size > MAX_SUBSTITUTE) return before ?? 0;
      const { variable, low, high } = diagrams.partsOf(of);
      const literal = this.#graph.multiplexer(2 * (leaves[variable] ?? 0), build(high), build(low));
      known.set(of, literal);
      return literal;
    };
    const literal = build(diagram);
    return known.size > MAX_SUBSTITUTE ? null : literal;
  }

  /** The member's leaves in the place of the template's: those of the same role, if any. */
  #placesIn(template: Member, member: Member): Places {
    const places: Places = new Map();
    const distance = member.lane - template.lane;
    const free = new Set(member.cone.leaves.filter((leaf) => member.roles.has(leaf)));
    const take = (leaf: number, isIt: (candidate: number) => boolean): void => {
      const role = template.roles.get(leaf);
      if (places.has(leaf)) return;
      if (role === undefined) {
        if (member.cone.leaves.includes(leaf)) places.set(leaf, leaf);
        return;
      }
      for (const candidate of free) {
        if (member.roles.get(candidate) !== role || !isIt(candidate)) continue;
        places.set(leaf, candidate);
        free.delete(candidate);
        return;
      }
    };
    // The most certain first: by the distance of the lanes, then in the same word, then anywhere.
    for (const leaf of template.cone.leaves) {
      const own = this.#positionOf(leaf);
      if (own)
        take(leaf, (candidate) => {
          const other = this.#positionOf(candidate);
          return other?.row === own.row && other.at - own.at === distance;
        });
    }
    for (const leaf of template.cone.leaves) {
      const own = this.#positionOf(leaf);
      if (own) take(leaf, (candidate) => this.#positionOf(candidate)?.row === own.row);
    }
    for (const leaf of template.cone.leaves) take(leaf, () => true);
    return places;
  }

  /** The word or adder of a leaf, and its position there. */
  #positionOf(leaf: number): Position | null {
    const known = this.#positions.get(leaf);
    if (known !== undefined) return known;
    const position = this.#findPosition(leaf);
    this.#positions.set(leaf, position);
    return position;
  }

  #findPosition(leaf: number): Position | null {
    const node = this.#graph.nodes[leaf];
    if (node?.kind === 'carry' && node.chain >= 0) return { row: `adder ${node.chain}`, at: node.position };
    const location = this.#locationOf(leaf);
    return location ? { row: `word ${location.value}`, at: location.lane } : null;
  }

  #rootOf(diagrams: DecisionDiagrams, { cone, literal }: Member, leaf: (node: number) => Diagram): Diagram {
    const root = diagramsOf(diagrams, cone, leaf).at(-1) ?? 0;
    return literal & 1 ? diagrams.not(root) : root;
  }
}

/** A member's function for 32 patterns at a time. */
function patternsOf({ cone, literal }: Member, leaf: (node: number) => number): number {
  const value = simulated(cone, leaf);
  return literal & 1 ? ~value : value;
}

/** Leaves that many lanes share. */
function sharedAmong(members: readonly Member[]): Set<number> {
  const counts = new Map<number, number>();
  for (const { cone } of members)
    for (const leaf of cone.leaves) counts.set(leaf, (counts.get(leaf) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > OWN).map(([leaf]) => leaf));
}

/** 32 pseudo-random bits from a number. */
function noise(number: number): number {
  let h = Math.imul(number + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

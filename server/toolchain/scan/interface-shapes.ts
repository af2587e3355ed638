import type { Piece } from './outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from './statements.ts';

/** Something that a list of ports or connections has between two commas: indices of its pieces, the last one behind it. */
export type Item = readonly [from: number, to: number];

/** An interface of SystemVerilog as a text has it. */
export interface InterfaceShape {
  name: string;
  /** Its ports, from the bracket that opens the list to the one that closes it; null where it has none. */
  ports: { open: number; close: number; items: readonly Item[] } | null;
  /** Behind its head, and its `endinterface`. */
  from: number;
  to: number;
}

/** An instance of an interface, or an array of them. */
export interface InterfaceInstance {
  name: string;
  at: number;
  isArray: boolean;
  items: readonly Item[];
  open: number;
  close: number;
}

/** What stands between two brackets, in parts with a comma between them. */
export function itemsIn(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  open: number,
  close: number,
): Item[] {
  const items: Item[] = [];
  let from = open + 1;
  for (let at = from; at < close; at++) {
    at = pairs.get(at) ?? at;
    if (textAt(pieces, at) !== ',') continue;
    items.push([from, at]);
    from = at + 1;
  }
  return from < close || items.length > 0 ? [...items, [from, close]] : [];
}

/** Behind what begins at an index with `#(`, parameters; the index itself where nothing does. */
const behindParameters = (pieces: Pieces, pairs: ReadonlyMap<number, number>, at: number): number =>
  textAt(pieces, at) === '#' ? (pairs.get(at + 1) ?? at) + 1 : at;

/** The interfaces that a text declares. */
export function interfacesIn(pieces: Pieces, pairs = bracketPairs(pieces)): InterfaceShape[] {
  const shapes: InterfaceShape[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind !== 'word' || text !== 'interface' || textAt(pieces, at - 1) === 'virtual') continue;
    const name = textAt(pieces, at + 1) === 'automatic' ? at + 2 : at + 1;
    if (pieces[name]?.kind !== 'word') continue;
    const head = behindParameters(pieces, pairs, name + 1);
    const close = textAt(pieces, head) === '(' ? pairs.get(head) : undefined;
    const from = (close ?? head - 1) + 1;
    if (textAt(pieces, from) !== ';') continue;
    let to = from;
    while (to < pieces.length && !/^end(?:interface|module)$/.test(textAt(pieces, to))) to++;
    const items = close === undefined ? [] : itemsIn(pieces, pairs, head, close);
    shapes.push({
      name: textAt(pieces, name),
      ports: close === undefined || items.length === 0 ? null : { open: head, close, items },
      from: from + 1,
      to,
    });
    at = to;
  }
  return shapes;
}

/**
 * The instances that begin at an index with the name of an interface: `wb_if #(32) a (…), b[0:3] (…);`.
 * @returns `end` is the index of the `;` behind them; null where there are none, as for a port
 */
export function instancesAt(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  at: number,
): { instances: InterfaceInstance[]; end: number } | null {
  const instances: InterfaceInstance[] = [];
  let next = behindParameters(pieces, pairs, at + 1);
  for (;;) {
    const name = next;
    const isArray = textAt(pieces, name + 1) === '[';
    const open = isArray ? (pairs.get(name + 1) ?? name) + 1 : name + 1;
    const close = pairs.get(open);
    if (pieces[name]?.kind !== 'word' || textAt(pieces, open) !== '(' || close === undefined) return null;
    const items = itemsIn(pieces, pairs, open, close);
    instances.push({ name: textAt(pieces, name), at: name, isArray, items, open, close });
    if (textAt(pieces, close + 1) === ';') return { instances, end: close + 1 };
    if (textAt(pieces, close + 1) !== ',') return null;
    next = close + 2;
  }
}

/** Where a module has an interface, as a port or as an instance. */
export interface UsedInterface {
  of: string;
  /** The index of its name, where it is an array. */
  array: number | null;
}

/** The ports of a module that begin at an index with the name of an interface: `wb_if.slave a, b`. */
function portsAt(pieces: Pieces, at: number): string[] {
  if (!/^[(,]$/.test(textAt(pieces, at - 1))) return [];
  const names: string[] = [];
  let next = textAt(pieces, at + 1) === '.' ? at + 3 : at + 1;
  while (pieces[next]?.kind === 'word' && /^[,)]$/.test(textAt(pieces, next + 1))) {
    names.push(textAt(pieces, next));
    if (textAt(pieces, next + 1) === ')') break;
    next += 2;
  }
  return names;
}

/**
 * The interfaces that the pieces from one index to another have as ports and as instances, by the names that they have there.
 * @param known the names of interfaces
 * @returns also the indices at which instances are named
 */
export function interfacesOf(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  [from, to]: Item,
  known: { has(name: string): boolean },
): { used: Map<string, UsedInterface>; declared: Set<number> } {
  const used = new Map<string, UsedInterface>();
  const declared = new Set<number>();
  for (let at = from; at < to; at++) {
    const of = textAt(pieces, at);
    if (pieces[at]?.kind !== 'word' || !known.has(of)) continue;
    for (const name of portsAt(pieces, at)) used.set(name, { of, array: null });
    for (const { name, at: place, isArray } of instancesAt(pieces, pairs, at)?.instances ?? []) {
      used.set(name, { of, array: isArray ? place : null });
      declared.add(place);
    }
  }
  return { used, declared };
}

import {
  type InterfaceInstance,
  type InterfaceShape,
  instancesAt,
  interfacesIn,
} from '../interface-shapes.ts';
import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { oneLine } from './one-line.ts';

/** A text in its pieces. */
interface Source {
  text: string;
  pieces: Pieces;
}

/** A port of an interface, as a member of it. */
interface Member {
  name: string;
  isInput: boolean;
  type: string;
}

/** What changes in the text with an index. */
interface Change {
  source: number;
  start: number;
  end: number;
  by: string;
}

/** The type of a member for what stands in front of the name of a port. */
function typeOf(said: string): string {
  const type = said.replace(/^(?:(?:var|wire|tri|reg)\b ?)+/, '');
  return /^(?:$|\[|signed|unsigned)/.test(type) ? `logic ${type}`.trim() : type;
}

/** The ports of an interface as members; null where they are not written with direction, type and name. */
function membersOf(source: Source, { ports }: InterfaceShape): Member[] | null {
  const members: Member[] = [];
  for (const [from, to] of ports?.items ?? []) {
    const name = source.pieces[to - 1];
    if (name?.kind !== 'word') return null;
    const direction = textAt(source.pieces, from);
    const before = members.at(-1);
    if (to - from === 1 && before) members.push({ ...before, name: name.text });
    else if (direction === 'input' || direction === 'output') {
      const said = oneLine(source.text, source.pieces, from + 1, to - 1);
      if (said === null || /[.=]/.test(said)) return null;
      members.push({ name: name.text, isInput: direction === 'input', type: typeOf(said) });
    } else return null;
  }
  return members;
}

/** What the ports of an instance are connected to; null where that is not to be told. */
function connectionsOf(
  source: Source,
  { items, isArray }: InterfaceInstance,
  members: readonly Member[],
): Map<string, string> | null {
  const connected = new Map<string, string>();
  if (isArray && items.length > 0) return null;
  let all = false;
  for (const [n, [from, to]] of items.entries()) {
    const { pieces } = source;
    if (textAt(pieces, from) !== '.') {
      const [member, by] = [members[n], oneLine(source.text, pieces, from, to)];
      if (!member || by === null) return null;
      if (by !== '') connected.set(member.name, by);
    } else if (textAt(pieces, from + 1) === '*') all = true;
    else {
      const name = textAt(pieces, from + 1);
      const by = to === from + 2 ? name : oneLine(source.text, pieces, from + 3, to - 1);
      if (by === null || !members.some((member) => member.name === name)) return null;
      connected.set(name, by);
    }
  }
  if (all) for (const { name } of members) if (!connected.has(name)) connected.set(name, name);
  return connected;
}

/** The assignments that stand for what an instance is connected to. */
function assignments(
  name: string,
  connected: ReadonlyMap<string, string>,
  members: readonly Member[],
): string {
  return members
    .filter((member) => connected.get(member.name))
    .map((member) => {
      const [inside, outside] = [`${name}.${member.name}`, connected.get(member.name) ?? ''];
      return member.isInput ? ` assign ${inside} = ${outside};` : ` assign ${outside} = ${inside};`;
    })
    .join('');
}

/** What changes where a text has instances of an interface; null where one of them cannot be written so. */
function changedInstances(
  source: Source,
  n: number,
  at: number,
  pairs: ReadonlyMap<number, number>,
  members: readonly Member[],
): Change[] | null {
  const found = instancesAt(source.pieces, pairs, at);
  if (!found) return [];
  const changes: Change[] = [];
  let assigned = '';
  for (const instance of found.instances) {
    const connected = connectionsOf(source, instance, members);
    if (!connected) return null;
    assigned += assignments(instance.name, connected, members);
    const [open, close] = [source.pieces[instance.open] as Piece, source.pieces[instance.close] as Piece];
    changes.push({ source: n, start: open.start, end: close.end, by: '()' });
  }
  const { end } = source.pieces[found.end] as Piece;
  return [...changes, { source: n, start: end, end, by: assigned }];
}

/** An interface that may have its ports as members, with what changes for that. */
interface Moved {
  members: readonly Member[];
  changes: Change[];
}

/** The interfaces with ports, each that is declared once and with ports that are understood. */
function movable(sources: readonly Source[]): Map<string, Moved> {
  const found = new Map<string, Moved | null>();
  for (const [n, source] of sources.entries())
    for (const shape of interfacesIn(source.pieces)) {
      const members = membersOf(source, shape);
      const open = source.pieces[shape.ports?.open ?? -1];
      const end = source.pieces[shape.from - 1]?.end ?? 0;
      const by = `(); ${(members ?? []).map(({ type, name }) => `${type} ${name};`).join(' ')}`;
      const moved =
        members && open ? { members, changes: [{ source: n, start: open.start, end, by }] } : null;
      found.set(shape.name, found.has(shape.name) ? null : moved);
    }
  return new Map([...found].flatMap(([name, moved]) => (moved ? [[name, moved]] : [])));
}

/**
 * Sources in SystemVerilog in which interfaces have no ports: what is one is a member, and an assignment beside each instance
 * connects it. Yosys joins the members of an interface, and leaves its ports without a value. Lines stay what they are.
 */
export function withInterfaceMembers(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\binterface\b/.test(text))) return [...texts];
  const sources = texts.map((text) => ({ text, pieces: piecesOf(text) }));
  const moved = movable(sources);
  if (moved.size === 0) return [...texts];
  for (const [n, source] of sources.entries()) {
    const pairs = bracketPairs(source.pieces);
    for (const [at, { kind, text }] of source.pieces.entries()) {
      const one = kind === 'word' ? moved.get(text) : undefined;
      if (!one || textAt(source.pieces, at - 1) === 'interface') continue;
      const changes = changedInstances(source, n, at, pairs, one.members);
      if (changes) one.changes.push(...changes);
      else moved.delete(text);
    }
  }
  const edits = texts.map(() => new Edits());
  for (const { changes } of moved.values())
    for (const { source, start, end, by } of changes) edits[source]?.replace(start, end, by);
  return texts.map((text, n) => edits[n]?.apply(text) ?? text);
}

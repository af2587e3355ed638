import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { type Pieces, textAt, Unclosed } from '../statements.ts';
import { type FunctionBody, functionAt } from './functions.ts';
import { isPackageAt } from './scopes.ts';
import { sourceOf, typesOf } from './sources.ts';
import { addStructures, type Structure, structureVariables } from './structures.ts';
import { type Types, typeOf } from './types.ts';

/** Structures within each other that are followed. */
const MOST_LEVELS = 8;
/** Functions of one text that are looked through. */
const MOST_FUNCTIONS = 500;

type Pairs = ReadonlyMap<number, number>;

/** Where a member lies among the bits of its structure. */
interface Member {
  low: number;
  width: number;
  isSigned: boolean;
  /** Its bits count down to 0. */
  isPlain: boolean;
  inner: Layout | null;
}

interface Layout {
  width: number;
  members: ReadonlyMap<string, Member>;
}

/** What is known of the types of a design. */
class Layouts {
  readonly structures = new Map<string, Structure | null>();
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  /** The bits of a structure; null where they are not all written as numbers. */
  of({ members, types, of }: Structure, level = 0): Layout | null {
    if (level > MOST_LEVELS) return null;
    const found = new Map<string, Member>();
    let low = 0;
    for (let n = members.length - 1; n >= 0; n--) {
      const type = types[n];
      const member = type == null ? null : this.#member(type, of, low, level);
      if (!member) return null;
      found.set(members[n] ?? '', member);
      low += member.width;
    }
    return { width: low, members: found };
  }

  #member(type: string, of: string | null, low: number, level: number): Member | null {
    const name = of !== null && this.#types.has(`${of}::${type}`) ? `${of}::${type}` : type;
    const structure = this.structures.get(name);
    if (structure) {
      const inner = this.of(structure, level + 1);
      return inner && { low, width: inner.width, isSigned: false, isPlain: true, inner };
    }
    const said =
      /^[\w:]+$/.test(name) && name.includes('::') ? [name] : piecesOf(name).map(({ text }) => text);
    const known = typeOf(said, this.#types);
    return known?.width == null
      ? null
      : { low, width: known.width, isSigned: known.isSigned, isPlain: known.isPlain, inner: null };
  }

  /** The structure that is written in front of an index. */
  before(pieces: Pieces, at: number): Structure | null {
    const word = textAt(pieces, at - 1);
    const name = isPackageAt(pieces, at - 4) ? `${textAt(pieces, at - 4)}::${word}` : word;
    return this.structures.get(name) ?? null;
  }
}

/** The bits that are named from an index on, with the index behind the name; null where they are not to be told. */
function bitsAt(
  pieces: Pieces,
  pairs: Pairs,
  dot: number,
  layout: Layout,
): { high: number; low: number; isSigned: boolean; end: number } | null {
  const member = layout.members.get(textAt(pieces, dot + 1));
  if (!member) return null;
  const end = dot + 2;
  const { low, width, isSigned, isPlain, inner } = member;
  if (textAt(pieces, end) === '.') {
    const bits = inner && bitsAt(pieces, pairs, end, inner);
    return bits && { ...bits, high: low + bits.high, low: low + bits.low };
  }
  if (textAt(pieces, end) !== '[') return { high: low + width - 1, low, isSigned, end };
  const close = pairs.get(end);
  if (!isPlain || close === undefined || textAt(pieces, close + 1) === '[') return null;
  const index = pieces
    .slice(end + 1, close)
    .map(({ text }) => text)
    .join('');
  const [, first, last = first] = /^(\d+)(?::(\d+))?$/.exec(index) ?? [];
  if (first === undefined || Number(first) >= width || Number(last) > Number(first)) return null;
  return { high: low + Number(first), low: low + Number(last), isSigned: false, end: close + 1 };
}

/** Whether what stands between two indices is given a value, or is a part of what stands between braces. */
function hasNoSign(pieces: Pieces, from: number, end: number): boolean {
  if (textAt(pieces, from - 1) === '{' || textAt(pieces, end) === '}') return true;
  const [behind = '', next = '', last = ''] = [end, end + 1, end + 2].map((at) => textAt(pieces, at));
  if (behind === '=') return next !== '=';
  return next === '=' ? /^[-+*/%&|^]$/.test(behind) : last === '=' && /^(?:<<|>>)$/.test(behind + next);
}

/** Writes the members in one function as bits. */
function writeFunction(
  pieces: Pieces,
  pairs: Pairs,
  head: number,
  { name, at: own, from, to }: FunctionBody,
  layouts: Layouts,
  edits: Edits,
): void {
  const named = new Map<string, Structure | null>(
    structureVariables(pieces, pairs, { kind: 'module', name, from: head, to }, layouts.structures),
  );
  const result = layouts.before(pieces, own);
  if (result) named.set(name, named.has(name) ? null : result);
  if (named.size === 0) return;
  const known = new Map([...named].map(([one, structure]) => [one, structure && layouts.of(structure)]));
  for (let at = from; at < to; at++) {
    const { kind, text } = pieces[at] as Piece;
    const layout = kind === 'word' && textAt(pieces, at + 1) === '.' ? known.get(text) : null;
    const before = textAt(pieces, at - 1);
    if (!layout || before === '.' || (before === ':' && textAt(pieces, at - 2) === ':')) continue;
    const bits = bitsAt(pieces, pairs, at + 1, layout);
    if (!bits) continue;
    const sign = bits.isSigned && !hasNoSign(pieces, at, bits.end);
    const range = bits.high === bits.low ? `[${bits.low}]` : `[${bits.high}:${bits.low}]`;
    const { start } = pieces[at] as Piece;
    const { end } = pieces[bits.end - 1] as Piece;
    edits.replace(start, end, sign ? `$signed(${text}${range})` : `${text}${range}`);
  }
}

/**
 * Sources in SystemVerilog in which functions name the members of their structures by their bits. What Yosys computes as a constant
 * keeps of members only the one that was given its value last, and a member of the function's own name is a wire for it. Lines stay
 * what they are.
 */
export function withBitsOfMembers(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\bstruct\b/.test(text)) || !texts.some((text) => /\bfunction\b/.test(text)))
    return [...texts];
  const sources = texts.map(sourceOf);
  const layouts = new Layouts(typesOf(sources));
  for (const { pieces, pairs, scopes } of sources) addStructures(pieces, pairs, scopes, layouts.structures);
  return sources.map(({ text, pieces, pairs }) => {
    const edits = new Edits();
    let left = MOST_FUNCTIONS;
    try {
      for (let at = 0; at < pieces.length && left > 0; at++) {
        if (pieces[at]?.kind !== 'word' || textAt(pieces, at) !== 'function') continue;
        const body = functionAt(pieces, at);
        if (!body) continue;
        left--;
        writeFunction(pieces, pairs, at, body, layouts, edits);
        at = body.to;
      }
    } catch (error) {
      // The tool says what has no end.
      if (error instanceof Unclosed) return text;
      throw error;
    }
    return edits.apply(text);
  });
}

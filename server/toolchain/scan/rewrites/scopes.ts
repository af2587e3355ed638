import type { Piece } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';

/** A module, an interface or a package of a text. */
export interface Scope {
  kind: 'module' | 'interface' | 'package';
  name: string;
  /** The index behind its name, and that of its end. */
  from: number;
  to: number;
}

/** The modules, interfaces and packages of a text, in their order. */
export function scopesOf(pieces: Pieces): Scope[] {
  const scopes: Scope[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind !== 'word' || !/^(?:module|interface|package)$/.test(text)) continue;
    if (textAt(pieces, at - 1) === 'virtual') continue;
    const name = /^(?:automatic|static)$/.test(textAt(pieces, at + 1)) ? at + 2 : at + 1;
    if (pieces[name]?.kind !== 'word') continue;
    let to = name;
    while (to < pieces.length && !(pieces[to]?.kind === 'word' && textAt(pieces, to) === `end${text}`)) to++;
    scopes.push({ kind: text as Scope['kind'], name: textAt(pieces, name), from: name + 1, to });
    at = to;
  }
  return scopes;
}

/** Whether what stands at an index is the name of a package in front of `::`. */
export const isPackageAt = (pieces: Pieces, at: number): boolean =>
  pieces[at]?.kind === 'word' &&
  textAt(pieces, at + 1) === ':' &&
  textAt(pieces, at + 2) === ':' &&
  pieces[at + 1]?.end === pieces[at + 2]?.start;

import { piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces } from '../statements.ts';
import { type Scope, scopesOf } from './scopes.ts';
import { typesIn } from './types.ts';

/** A text in its pieces, with its brackets, and its modules and packages. */
export interface Source {
  text: string;
  pieces: Pieces;
  pairs: ReadonlyMap<number, number>;
  scopes: readonly Scope[];
}

/** A text in its pieces. */
export function sourceOf(text: string): Source {
  const pieces = piecesOf(text);
  return { text, pieces, pairs: bracketPairs(pieces), scopes: scopesOf(pieces) };
}

/** The types that sources declare, by their names; null where several have one. */
export function typesOf(sources: readonly Source[]): Map<string, string[] | null> {
  const types = new Map<string, string[] | null>();
  for (const { pieces, pairs, scopes } of sources)
    typesIn(
      pieces,
      pairs,
      types,
      (at) => scopes.find(({ kind, from, to }) => kind === 'package' && from < at && at < to)?.name ?? null,
    );
  return types;
}

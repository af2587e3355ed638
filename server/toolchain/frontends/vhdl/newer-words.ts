import { tokenizeVhdl, type VhdlToken } from '../../languages/vhdl/vhdl-lexer.ts';

/** Keywords of VHDL-2008 and PSL that are names in older sources. Source: IEEE 1076-2008, 15.10. */
const NEWER = new Set(
  'assume context cover default force parameter property protected release restrict restrict_guarantee sequence vmode vprop vunit'.split(
    ' ',
  ),
);

/** Keywords whose next word is a declared name. */
const DECLARES = new Set(
  'entity architecture package component function procedure type subtype alias of'.split(' '),
);

/**
 * Renames declared names that are newer keywords: `force` becomes `force_0`, or has the next free number. Line numbers
 * do not change.
 * @returns the sources, and the new name by old name
 */
export function withoutNewerWords(texts: readonly string[]): {
  texts: string[];
  renamed: Map<string, string>;
} {
  const tokens = texts.map(tokenizeVhdl);
  const used = new Set<string>();
  for (const { kind, text } of tokens.flat()) if (kind === 'word') used.add(text.toLowerCase());
  const renamed = new Map<string, string>();
  if (![...NEWER].some((word) => used.has(word))) return { texts: [...texts], renamed };
  for (const all of tokens)
    for (const name of declaredIn(all)) {
      if (!NEWER.has(name) || renamed.has(name)) continue;
      let number = 0;
      while (used.has(`${name}_${number}`)) number++;
      renamed.set(name, `${name}_${number}`);
    }
  if (renamed.size === 0) return { texts: [...texts], renamed };
  return {
    texts: tokens.map((all) =>
      all.map(({ kind, text }) => (kind === 'word' && renamed.get(text.toLowerCase())) || text).join(''),
    ),
    renamed,
  };
}

/** Names that a source declares, in lower case; all names of `a, b : bit`. */
function* declaredIn(all: readonly VhdlToken[]): Generator<string> {
  const tokens = all.filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  for (const [at, { text }] of tokens.entries()) {
    const next = tokens[at + 1]?.text ?? '';
    if (DECLARES.has(text.toLowerCase())) yield next.toLowerCase();
    if (text !== ':' || next === '=') continue;
    for (let before = at - 1; tokens[before]?.kind === 'word'; before -= 2) {
      yield tokens[before]?.text.toLowerCase() ?? '';
      if (tokens[before - 1]?.text !== ',') break;
    }
  }
}

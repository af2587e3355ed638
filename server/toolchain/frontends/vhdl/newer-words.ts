import { tokenizeVhdl, type VhdlToken } from '../../languages/vhdl/vhdl-lexer.ts';

/** Words of VHDL since 2008 that are names in older sources: GHDL reads all as VHDL-2008. Source: IEEE 1076-2008, 15.10. */
const NEWER = new Set(
  'assume context cover default force parameter property protected release restrict restrict_guarantee sequence vmode vprop vunit'.split(
    ' ',
  ),
);

/** What a declaration begins with, whose name comes next. */
const DECLARES = new Set(
  'entity architecture package component function procedure type subtype alias of'.split(' '),
);

/**
 * Sources in VHDL, without names that are words of newer VHDL: a design that declares `force` has `force_0` in its place, or
 * the next number that it has not. Lines stay what they are.
 * @returns the sources, and each new name with the one that it stands for
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

/** Names that a source declares, lower case; of `a, b : bit` all. */
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

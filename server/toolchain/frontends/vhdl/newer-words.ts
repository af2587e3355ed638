import { tokenizeVhdl } from '../../languages/vhdl/vhdl-lexer.ts';
import { vhdlDeclarations, vhdlSource } from '../../languages/vhdl/vhdl-places.ts';

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
  for (const text of texts)
    for (const name of declaredIn(text)) {
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

/** Names that a source declares, in lower case. */
function declaredIn(text: string): string[] {
  const source = vhdlSource(text);
  const named = source.tokens.flatMap(({ text: word }, at) =>
    DECLARES.has(word) ? [source.tokens[at + 1]?.text.toLowerCase() ?? ''] : [],
  );
  return [...named, ...vhdlDeclarations(source).map(({ name }) => name)];
}

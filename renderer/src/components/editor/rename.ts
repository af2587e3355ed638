// The occurrences of a name in a source.
import { KEYWORDS } from './keywords.ts';
import { type SourceLanguage, type Token, tokensOf } from './tokens.ts';

export interface Occurrences {
  name: string;
  /** Of each occurrence, in order. */
  ranges: readonly { from: number; to: number }[];
  /** Names that the new one must differ from. */
  taken: ReadonlySet<string>;
  /** The name is renamed in one module, or in the whole file. */
  scope: 'module' | 'file';
}

const BEGINS = new Set(['module', 'macromodule', 'interface', 'package', 'program']);
const ENDS = new Set(['endmodule', 'endinterface', 'endpackage', 'endprogram']);

const isKeyword = (text: string, language: SourceLanguage): boolean =>
  KEYWORDS[language].includes(language === 'vhdl' ? text.toLowerCase() : text);

/** The tokens of the module around a position; all tokens outside of modules and in other languages. */
function moduleAround(
  tokens: readonly Token[],
  position: number,
  language: SourceLanguage,
): readonly Token[] {
  if (language !== 'verilog') return tokens;
  const isWord = (token: Token, set: ReadonlySet<string>) => token.kind === 'word' && set.has(token.text);
  const first = tokens.findLastIndex((token) => token.from <= position && isWord(token, BEGINS));
  const end = tokens.findIndex((token, at) => at > first && isWord(token, ENDS));
  if (first < 0 || end < 0 || (tokens[end]?.to ?? 0) < position) return tokens;
  return tokens.slice(first, end + 1);
}

/** Whether a name belongs to something else: a port of an instance, a field, an attribute. */
function isQualified(before: Token | undefined, after: Token | undefined, language: SourceLanguage): boolean {
  if (before?.text === '.') return true;
  return language === 'vhdl' && after?.text === '=' && (before?.text === '(' || before?.text === ',');
}

/**
 * The name at a position, wherever it is meant in its module, or in the whole file if it is a module's name. Null for
 * other text, keywords, and names that belong to something else, such as the port of an instance.
 */
export function occurrencesAt(
  source: string,
  position: number,
  language: SourceLanguage,
): Occurrences | null {
  const all = tokensOf(source, language).filter(({ kind }) => kind !== 'space' && kind !== 'comment');
  const fold = (text: string) => (language === 'vhdl' ? text.toLowerCase() : text);
  const isAt = ({ kind, from, to }: Token) => kind === 'word' && from <= position && position <= to;
  const chosen = all.findIndex(isAt);
  const token = all[chosen];
  if (!token || isKeyword(token.text, language) || /^[\\$]/.test(token.text)) return null;
  const qualified = (list: readonly Token[], at: number) => isQualified(list[at - 1], list[at + 1], language);
  // In Python an attribute is a name like any other.
  const wanted = language === 'python' && qualified(all, chosen);
  if (qualified(all, chosen) && !wanted) return null;
  const name = fold(token.text);
  const isModule =
    language === 'verilog' &&
    all.some(({ text }, at) => text === name && BEGINS.has(all[at - 1]?.text ?? ''));
  const scope = isModule ? all : moduleAround(all, position, language);
  const ranges = scope.flatMap(({ kind, text, from, to }, at) =>
    kind === 'word' && fold(text) === name && qualified(scope, at) === wanted ? [{ from, to }] : [],
  );
  const taken = new Set(scope.flatMap(({ kind, text }) => (kind === 'word' ? [fold(text)] : [])));
  return { name: token.text, ranges, taken, scope: scope.length === all.length ? 'file' : 'module' };
}

/** What is wrong with a new name; null if it can be used. */
export function nameProblem(
  to: string,
  { name, taken }: Occurrences,
  language: SourceLanguage,
): 'invalid' | 'keyword' | 'taken' | null {
  const folded = language === 'vhdl' ? to.toLowerCase() : to;
  if (!(language === 'verilog' ? /^[A-Za-z_][\w$]*$/ : /^[A-Za-z_]\w*$/).test(to)) return 'invalid';
  if (isKeyword(to, language)) return 'keyword';
  const same = folded === (language === 'vhdl' ? name.toLowerCase() : name);
  return !same && taken.has(folded) ? 'taken' : null;
}

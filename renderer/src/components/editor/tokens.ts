// Comments, strings and words of a source: what a rename may touch, and what it must not.

export type SourceLanguage = 'verilog' | 'vhdl' | 'python';

/** The language of a file by its extension; undefined for other files. */
export function sourceLanguage(filename: string): SourceLanguage | undefined {
  switch (filename.slice(filename.lastIndexOf('.')).toLowerCase()) {
    case '.v':
    case '.sv':
    case '.vh':
    case '.svh':
      return 'verilog';
    case '.vhd':
    case '.vhdl':
      return 'vhdl';
    case '.py':
      return 'python';
    default:
      return undefined;
  }
}

export interface Token {
  kind: 'comment' | 'string' | 'word' | 'number' | 'directive' | 'space' | 'other';
  from: number;
  to: number;
  text: string;
}

/** Alternatives in this order; the last one takes any character, so the tokens of a text are the text. */
const PATTERNS: Readonly<Record<SourceLanguage, RegExp>> = {
  verilog:
    /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>"(?:[^"\\\n]|\\[\s\S])*"?)|(?<directive>`[A-Za-z_]\w*)|(?<word>\\\S+|[A-Za-z_$][\w$]*)|(?<number>(?:\d[\d_]*)?'[sS]?[bodhBODH]\s*[\w?]+|\d[\w.]*)|(?<space>\s+)|(?<other>[\s\S])/gu,
  vhdl: /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>(?:[boxBOX])?"(?:[^"\n]|"")*"?|'[^\n]')|(?<word>\\[^\\\n]*\\|[A-Za-z]\w*)|(?<number>\d[\w.#]*)|(?<space>\s+)|(?<other>[\s\S])/gu,
  python:
    /(?<comment>#[^\n]*)|(?<string>"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<number>\d[\w.]*)|(?<space>\s+)|(?<other>[\s\S])/gu,
};

/** The tokens of a source, in order and without gaps. */
export function tokensOf(source: string, language: SourceLanguage): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, index, groups = {} } of source.matchAll(PATTERNS[language])) {
    const kind = (Object.keys(groups) as Token['kind'][]).find((name) => groups[name] !== undefined);
    tokens.push({ kind: kind ?? 'other', from: index, to: index + text.length, text });
  }
  return tokens;
}

/** Words of a source that are names, each once. */
export function namesIn(source: string, language: SourceLanguage): Set<string> {
  const names = new Set<string>();
  for (const { kind, text } of tokensOf(source, language)) if (kind === 'word') names.add(text);
  return names;
}

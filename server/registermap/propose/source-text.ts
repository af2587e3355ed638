/** A line of comment. */
export interface CommentLine {
  text: string;
  /** Counted from 1. */
  line: number;
  /** It follows code on its line. */
  trailing: boolean;
}

/** A source split into code and comments; the code keeps its line ends, so that line numbers stay right. */
export interface SplitSource {
  code: string;
  comments: CommentLine[];
}

export type SourceLanguage = 'verilog' | 'vhdl' | 'python';

/** Begins of comments and texts, and line ends. In Python the docstring of a module or a class is a comment. */
const MARK: Readonly<Record<SourceLanguage, RegExp>> = {
  verilog: /\n|"|\/\/|\/\*/g,
  vhdl: /\n|"|--|\/\*/g,
  python: /\n|"""|'''|"|#/g,
};

/** Ends of multi-line comments. */
const CLOSING: Readonly<Record<string, string>> = { '/*': '*/', '"""': '"""', "'''": "'''" };

function hasCode(source: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const character = source[at];
    if (character !== ' ' && character !== '\t' && character !== '\r') return true;
  }
  return false;
}

/** Splits a source into code and comments in one pass. */
export function splitSource(source: string, language: SourceLanguage): SplitSource {
  const comments: CommentLine[] = [];
  const code: string[] = [];
  let line = 1;
  let lineHasCode = false;
  let from = 0;
  const keep = (to: number) => {
    if (to > from) code.push(source.slice(from, to));
  };
  /** Moves a comment of one or more lines out of the code. */
  const take = (begin: number, textBegin: number, textEnd: number, end: number) => {
    keep(begin);
    for (const text of source.slice(textBegin, textEnd).split('\n')) {
      comments.push({ text, line, trailing: lineHasCode });
      line++;
      lineHasCode = false;
    }
    line--;
    code.push(' ', '\n'.repeat(source.slice(textBegin, textEnd).split('\n').length - 1));
    from = end;
  };
  for (let at = 0; at < source.length; ) {
    MARK[language].lastIndex = at;
    const found = MARK[language].exec(source);
    const next = found?.index ?? source.length;
    if (!lineHasCode) lineHasCode = hasCode(source, at, next);
    at = next;
    const mark = found?.[0] ?? '';
    const close = CLOSING[mark];
    if (mark === '\n') {
      line++;
      lineHasCode = false;
      at++;
    } else if (mark === '"') {
      lineHasCode = true;
      at = endOfText(source, at);
    } else if (found) {
      const textEnd = source.indexOf(close ?? '\n', at + mark.length);
      const end = textEnd < 0 ? source.length : textEnd;
      const behind = textEnd < 0 || close === undefined ? end : end + close.length;
      take(at, at + mark.length, end, behind);
      at = behind;
    }
  }
  keep(source.length);
  return { code: code.join(''), comments };
}

/** The index after the closing quote of a text, or the end of its line without one. */
function endOfText(source: string, begin: number): number {
  for (let at = begin + 1; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') at++;
    else if (character === '"') return at + 1;
    else if (character === '\n') return at;
  }
  return source.length;
}

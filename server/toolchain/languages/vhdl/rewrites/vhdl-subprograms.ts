import type { VhdlToken } from '../vhdl-lexer.ts';
import type { VhdlSource } from '../vhdl-places.ts';

/** A part of a source that may access files: a subprogram, or the declaration of a file or file type. */
export interface Part {
  /** Index of its source. */
  of: number;
  name: string;
  /** Index of its first and last token. */
  from: number;
  to: number;
  /** It accesses files itself. */
  ofFiles: boolean;
  /** A parameter is a file. */
  takesFile?: boolean;
}

/** Quick test: a text without a match has no files. */
export const MAY_HAVE_FILES = /\bfile\s{1,20}\w/i;

/** The text of a token; empty beyond the end. */
export const wordAt = ({ tokens }: VhdlSource, at: number) => tokens[at]?.text ?? '';

/** Index of the next `;` outside brackets. */
export function endOfClause(source: VhdlSource, from: number): number {
  let depth = 0;
  for (let at = from; at < source.tokens.length; at++) {
    const text = wordAt(source, at);
    if (text === '(') depth++;
    else if (text === ')') depth--;
    else if (text === ';' && depth === 0) return at;
  }
  return source.tokens.length - 1;
}

const OPENS = new Set(['if', 'case', 'loop', 'record', 'units', 'protected']);
/** Whether a word begins a subprogram. */
export const isHead = (word: string) => word === 'function' || word === 'procedure';

/** Index of the last token of a subprogram; null when it has no end. */
function endOfSubprogram(source: VhdlSource, head: number): number | null {
  const clause = endOfClause(source, head);
  // Covers this subprogram and nested ones. A head has no other `is`.
  let inHead = true;
  for (let at = head + 1, depth = 0; at < source.tokens.length; at++) {
    const [word, before] = [wordAt(source, at), wordAt(source, at - 1)];
    if (depth === 0 && at >= clause) return clause;
    if (inHead && word === 'is') {
      inHead = false;
      // An instance of a generic subprogram ends with its clause.
      if (wordAt(source, at + 1) !== 'new') depth++;
    } else if (word === 'end' && --depth === 0) return endOfClause(source, at);
    else if (word === 'begin') inHead = false;
    else if (before === 'end') continue;
    else if (isHead(word)) inHead = true;
    else if (OPENS.has(word)) depth++;
  }
  return null;
}

/** Index after the parameters of a subprogram. */
export function endOfHead(source: VhdlSource, head: number): number {
  let at = head;
  while (at < source.tokens.length && !/^(?:;|is|return)$/.test(wordAt(source, at))) {
    if (wordAt(source, at) === '(') at = closeOf(source, at);
    at++;
  }
  return at;
}

/** Index of the matching closing bracket. */
export function closeOf(source: VhdlSource, open: number): number {
  let depth = 0;
  for (let at = open; at < source.tokens.length; at++) {
    if (wordAt(source, at) === '(') depth++;
    else if (wordAt(source, at) === ')' && --depth === 0) return at;
  }
  return source.tokens.length;
}

/** Whether a token is a keyword for files. */
export const isOfFiles = ({ kind, text }: VhdlToken) => kind === 'word' && /^file(?:_open)?$/.test(text);

/** Subprograms of a source, and declarations of files outside them. */
export function partsOf(source: VhdlSource, of: number): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < source.tokens.length; at++) {
    const [word, before] = [wordAt(source, at), wordAt(source, at - 1)];
    const found = { of, name: wordAt(source, at + 1) };
    if (isHead(word) && before !== 'end') {
      const to = endOfSubprogram(source, at);
      if (to === null) break;
      if (source.tokens[at + 1]?.kind !== 'word') continue;
      const from = /^(?:im)?pure$/.test(before) ? at - 1 : at;
      const [ofFiles, takesFile] = [to, endOfHead(source, at)].map((end) =>
        source.tokens.slice(at, end).some(isOfFiles),
      );
      parts.push({ ...found, from, to, ofFiles: ofFiles === true, takesFile: takesFile === true });
      at = to;
    } else if (word === 'file' && /^(?:;|is)$/.test(before) && wordAt(source, at + 2) === ':')
      parts.push({ ...found, from: at, to: endOfClause(source, at), ofFiles: true });
    else if (word === 'type' && wordAt(source, at + 2) === 'is' && wordAt(source, at + 3) === 'file')
      parts.push({ ...found, from: at, to: endOfClause(source, at), ofFiles: true });
  }
  return parts;
}

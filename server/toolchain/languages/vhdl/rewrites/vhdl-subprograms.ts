import type { VhdlToken } from '../vhdl-lexer.ts';
import type { VhdlSource } from '../vhdl-places.ts';

/** What of a source can only be there for files: a subprogram, or the declaration of a file or of a type of them. */
export interface Part {
  /** Which of the sources. */
  of: number;
  name: string;
  /** Its first token, and its last. */
  from: number;
  to: number;
  /** It names files itself. */
  ofFiles: boolean;
  /** It is called with a file. */
  takesFile?: boolean;
}

/** A declaration of files somewhere in a text; others need not be looked at. */
export const MAY_HAVE_FILES = /\bfile\s{1,20}\w/i;

/** The word or mark at an index; empty where nothing is. */
export const wordAt = ({ tokens }: VhdlSource, at: number) => tokens[at]?.text ?? '';

/** The `;` behind a token that no bracket is around. */
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
/** Whether a subprogram begins with a word. */
export const isHead = (word: string) => word === 'function' || word === 'procedure';

/** The last token of a subprogram that begins with `function` or `procedure`; null where it has no end. */
function endOfSubprogram(source: VhdlSource, head: number): number | null {
  const clause = endOfClause(source, head);
  // Of this one and of those within it; in a head there is no other `is`.
  let inHead = true;
  for (let at = head + 1, depth = 0; at < source.tokens.length; at++) {
    const [word, before] = [wordAt(source, at), wordAt(source, at - 1)];
    if (depth === 0 && at >= clause) return clause;
    if (inHead && word === 'is') {
      inHead = false;
      // An instance of a generic one ends with its clause.
      if (wordAt(source, at + 1) !== 'new') depth++;
    } else if (word === 'end' && --depth === 0) return endOfClause(source, at);
    else if (word === 'begin') inHead = false;
    else if (before === 'end') continue;
    else if (isHead(word)) inHead = true;
    else if (OPENS.has(word)) depth++;
  }
  return null;
}

/** Behind the parameters of a subprogram. */
export function endOfHead(source: VhdlSource, head: number): number {
  let at = head;
  while (at < source.tokens.length && !/^(?:;|is|return)$/.test(wordAt(source, at))) {
    if (wordAt(source, at) === '(') at = closeOf(source, at);
    at++;
  }
  return at;
}

/** The bracket that ends what one begins. */
export function closeOf(source: VhdlSource, open: number): number {
  let depth = 0;
  for (let at = open; at < source.tokens.length; at++) {
    if (wordAt(source, at) === '(') depth++;
    else if (wordAt(source, at) === ')' && --depth === 0) return at;
  }
  return source.tokens.length;
}

/** Whether a token is a word of files. */
export const isOfFiles = ({ kind, text }: VhdlToken) => kind === 'word' && /^file(?:_open)?$/.test(text);

/** Subprograms of a source, and declarations of files outside of these. */
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

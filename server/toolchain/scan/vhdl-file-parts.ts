import { someOf } from '../match/explain.ts';
import { isTestbench } from './testbenches.ts';
import type { VhdlToken } from './vhdl-lexer.ts';
import { type VhdlSource, vhdlSource } from './vhdl-places.ts';

/** What of a source can only be there for files: a subprogram, or the declaration of a file or of a type of them. */
interface Part {
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
const MAY_HAVE_FILES = /\bfile\s{1,20}\w/i;

/** Subprograms that call each other in a row. */
const MOST_PASSES = 16;

const wordAt = ({ tokens }: VhdlSource, at: number) => tokens[at]?.text ?? '';

/** The `;` behind a token that no bracket is around. */
function endOfClause(source: VhdlSource, from: number): number {
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
const isHead = (word: string) => word === 'function' || word === 'procedure';

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
function endOfHead(source: VhdlSource, head: number): number {
  let at = head;
  while (at < source.tokens.length && !/^(?:;|is|return)$/.test(wordAt(source, at))) {
    if (wordAt(source, at) === '(') at = closeOf(source, at);
    at++;
  }
  return at;
}

/** The bracket that ends what one begins. */
function closeOf(source: VhdlSource, open: number): number {
  let depth = 0;
  for (let at = open; at < source.tokens.length; at++) {
    if (wordAt(source, at) === '(') depth++;
    else if (wordAt(source, at) === ')' && --depth === 0) return at;
  }
  return source.tokens.length;
}

const isOfFiles = ({ kind, text }: VhdlToken) => kind === 'word' && /^file(?:_open)?$/.test(text);

/** Subprograms of a source, and declarations of files outside of these. */
function partsOf(source: VhdlSource, of: number): Part[] {
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

/** The tokens of a source that are outside of its parts. */
function* outside({ tokens }: VhdlSource, of: number, parts: readonly Part[]): Generator<number> {
  const own = parts.filter((part) => part.of === of).sort((a, b) => a.from - b.from);
  let next = 0;
  for (let at = 0; at < tokens.length; at++)
    if (own[next]?.from === at) at = own[next++]?.to ?? at;
    else yield at;
}

/** Names in the sources outside of some parts that are more than the name of another subprogram; called with a file: `f(output`. */
function namedOutside(sources: readonly VhdlSource[], parts: readonly Part[]): Set<string> {
  const names = new Set<string>();
  for (const [of, source] of sources.entries())
    for (const at of outside(source, of, parts)) {
      if (source.tokens[at]?.kind !== 'word' || isHead(wordAt(source, at - 1))) continue;
      names.add(wordAt(source, at));
      if (wordAt(source, at + 1) === '(' && /^(?:out|in)put$/.test(wordAt(source, at + 2)))
        names.add(`${wordAt(source, at)}(`);
    }
  return names;
}

/** The parts that are there for files, with those that call them. */
function forFiles(sources: readonly VhdlSource[], all: readonly Part[]): Part[] {
  const taken = new Set(all.filter(({ ofFiles }) => ofFiles));
  for (let pass = 0, grown = true; grown && pass < MOST_PASSES; pass++) {
    const names = new Set([...taken].map(({ name }) => name));
    const calling = all.filter(
      (part) =>
        !taken.has(part) &&
        sources[part.of]?.tokens
          .slice(part.from + 2, part.to)
          .some(({ kind, text }) => kind === 'word' && names.has(text) && text !== part.name),
    );
    for (const part of calling) taken.add(part);
    grown = calling.length > 0;
  }
  return [...taken];
}

/**
 * Sources in VHDL without the subprograms that read or write files, where nothing of the design calls them: packages have them
 * for testbenches. Lines stay what they are.
 * @param notes gets what was left out
 */
export function withoutFileParts(texts: readonly string[], notes: string[]): string[] {
  if (!texts.some((text) => MAY_HAVE_FILES.test(text))) return [...texts];
  // What a testbench calls is needed for nothing.
  const read = texts.map((text) => vhdlSource(isTestbench(text, 'vhdl') ? '' : text));
  let parts = forFiles(read, read.flatMap(partsOf));
  // Nor what a source calls that has files of its own: it is not read.
  const sources = read.map((source, of) =>
    [...outside(source, of, parts)].some((at) => isOfFiles(source.tokens[at] as VhdlToken))
      ? vhdlSource('')
      : source,
  );
  parts = parts.filter(({ of }) => sources[of] === read[of]);
  let settled = false;
  for (let pass = 0; !settled && pass < MOST_PASSES; pass++) {
    const needed = namedOutside(sources, parts);
    const rest = parts.filter(({ name, takesFile }) => !needed.has(takesFile ? `${name}(` : name));
    settled = rest.length === parts.length;
    parts = rest;
  }
  if (!settled || parts.length === 0) return [...texts];
  const names = [...new Set(parts.map(({ name }) => name))];
  notes.push(
    `${someOf(names)}: left out, for a design reads and writes no files, and nothing of it calls ${names.length > 1 ? 'these' : 'this'}`,
  );
  return texts.map((text, of) => {
    let rest = text;
    for (const { from, to } of parts.filter((part) => part.of === of).sort((a, b) => b.from - a.from)) {
      const tokens = sources[of]?.tokens ?? [];
      const [start, end] = [tokens[from]?.start ?? 0, (tokens[to]?.start ?? 0) + 1];
      rest = rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, ' ') + rest.slice(end);
    }
    return rest;
  });
}

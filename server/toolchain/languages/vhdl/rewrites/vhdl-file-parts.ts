import { someOf } from '../../../diagnostics/text.ts';
import { Edits } from '../../edits.ts';
import type { VhdlToken } from '../vhdl-lexer.ts';
import { type VhdlSource, vhdlSource } from '../vhdl-places.ts';
import { vhdlTestbenches } from '../vhdl-testbenches.ts';
import { isHead, isOfFiles, MAY_HAVE_FILES, type Part, partsOf, wordAt } from './vhdl-subprograms.ts';

/** Limit of passes along chains of calls. */
const MAX_PASSES = 16;

/** Tokens of a source outside its parts. */
function* outside({ tokens }: VhdlSource, of: number, parts: readonly Part[]): Generator<number> {
  const own = parts.filter((part) => part.of === of).sort((a, b) => a.from - b.from);
  let next = 0;
  for (let at = 0; at < tokens.length; at++)
    if (own[next]?.from === at) at = own[next++]?.to ?? at;
    else yield at;
}

/** Names that sources use outside the parts. A call with a file is the name with a bracket: `f(`. */
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

/** Parts that access files, and parts that call them. */
function forFiles(sources: readonly VhdlSource[], all: readonly Part[]): Part[] {
  const taken = new Set(all.filter(({ ofFiles }) => ofFiles));
  for (let pass = 0, grown = true; grown && pass < MAX_PASSES; pass++) {
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
 * Removes subprograms that access files when the design does not call them. Packages have them for testbenches. Line
 * numbers do not change.
 * @param notes receives the removed names
 */
export function withoutFileParts(texts: readonly string[], notes: string[]): string[] {
  if (!texts.some((text) => MAY_HAVE_FILES.test(text))) return [...texts];
  // Calls of a testbench do not count.
  const read = texts.map((text) => vhdlSource(vhdlTestbenches(text).isOnlyTestbench ? '' : text));
  let parts = forFiles(read, read.flatMap(partsOf));
  // Nor do calls of a source with other file accesses, which is refused.
  const sources = read.map((source, of) =>
    [...outside(source, of, parts)].some((at) => isOfFiles(source.tokens[at] as VhdlToken))
      ? vhdlSource('')
      : source,
  );
  parts = parts.filter(({ of }) => sources[of] === read[of]);
  let settled = false;
  for (let pass = 0; !settled && pass < MAX_PASSES; pass++) {
    const needed = namedOutside(sources, parts);
    const rest = parts.filter(({ name, takesFile }) => !needed.has(takesFile ? `${name}(` : name));
    settled = rest.length === parts.length;
    parts = rest;
  }
  if (!settled || parts.length === 0) return [...texts];
  const names = [...new Set(parts.map(({ name }) => name))];
  notes.push(
    `${someOf(names)}: removed, because a design cannot access files and does not call ${names.length > 1 ? 'these' : 'this'}`,
  );
  const edits = texts.map(() => new Edits());
  for (const { of, from, to } of parts) {
    const tokens = sources[of]?.tokens ?? [];
    edits[of]?.replace(tokens[from]?.start ?? 0, (tokens[to]?.start ?? 0) + (tokens[to]?.text.length ?? 0));
  }
  return texts.map((text, of) => edits[of]?.apply(text) ?? text);
}

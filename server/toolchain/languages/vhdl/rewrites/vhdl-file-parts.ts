import { someOf } from '../../../diagnostics/text.ts';
import { Edits } from '../../edits.ts';
import { isTestbench } from '../../testbenches.ts';
import type { VhdlToken } from '../vhdl-lexer.ts';
import { type VhdlSource, vhdlSource } from '../vhdl-places.ts';
import { isHead, isOfFiles, MAY_HAVE_FILES, type Part, partsOf, wordAt } from './vhdl-subprograms.ts';

/** Subprograms that call each other in a row. */
const MAX_PASSES = 16;

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
  for (let pass = 0; !settled && pass < MAX_PASSES; pass++) {
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
  const edits = texts.map(() => new Edits());
  for (const { of, from, to } of parts) {
    const tokens = sources[of]?.tokens ?? [];
    edits[of]?.replace(tokens[from]?.start ?? 0, (tokens[to]?.start ?? 0) + (tokens[to]?.text.length ?? 0));
  }
  return texts.map((text, of) => edits[of]?.apply(text) ?? text);
}

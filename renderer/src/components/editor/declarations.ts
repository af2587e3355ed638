// Declarations of the last scan, at the place where they are asked for.
import type { Declaration } from '../../../../server/contract/designs/declarations.ts';
import { text } from '../../text/text.ts';
import { type SourceLanguage, tokensOf } from './tokens.ts';

const t = text.editor;

/** A place in the files of a design; without a file, in the shown one. */
export interface SourcePlace {
  file?: string | undefined;
  line: number;
}

/**
 * The declaration of a name that is seen at a line: in the module around it, else the module of that name, else any.
 */
export function declarationFor(
  declarations: readonly Declaration[],
  name: string,
  file: string,
  line: number,
): Declaration | undefined {
  const module = moduleAt(declarations, file, line);
  const named = declarations.filter((one) => one.name === name);
  return (
    named.find((one) => one.kind !== 'module' && one.module === module) ??
    named.find(({ kind }) => kind === 'module') ??
    named.find((one) => one.file === undefined || one.file === file) ??
    named[0]
  );
}

/** The module whose declaration is the last one above a line. */
export function moduleAt(
  declarations: readonly Declaration[],
  file: string,
  line: number,
): string | undefined {
  let last: Declaration | undefined;
  for (const one of declarations)
    if (
      one.kind === 'module' &&
      (one.file ?? file) === file &&
      (one.line ?? Number.POSITIVE_INFINITY) <= line &&
      (one.line ?? 0) >= (last?.line ?? 0)
    )
      last = one;
  return last?.name;
}

/** Facts on a declaration, one a line. */
export function describeDeclaration({
  kind,
  direction,
  width,
  words,
  of,
  module,
  file,
  line,
}: Declaration): string[] {
  const what =
    kind === 'instance' ? t.instanceOf(of ?? '') : direction ? t.directions[direction] : t.kinds[kind];
  const size = words !== undefined && width !== undefined ? t.memory(words, width) : width && t.bits(width);
  return [
    [what, size].filter(Boolean).join(', ') + (kind === 'module' ? '' : ` ${t.inModule(module)}`),
    ...(line === undefined ? [] : [t.declared(file, line)]),
  ];
}

/** The lines of a source with a name, from 1. */
function linesWith(source: string, name: string, language: SourceLanguage): number[] {
  const fold = (word: string) => (language === 'vhdl' ? word.toLowerCase() : word);
  const lines: number[] = [];
  let line = 1;
  for (const { kind, text: word } of tokensOf(source, language)) {
    if (kind === 'word' && fold(word) === fold(name)) lines.push(line);
    line += word.split('\n').length - 1;
  }
  return lines;
}

/** The line nearest to a declaration's with its name: lines may have moved since the scan. */
export function currentLine(source: string, name: string, line: number, language: SourceLanguage): number {
  const lines = linesWith(source, name, language);
  return lines.reduce(
    (best, one) => (Math.abs(one - line) < Math.abs(best - line) ? one : best),
    lines[0] ?? line,
  );
}

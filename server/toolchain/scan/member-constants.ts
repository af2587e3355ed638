import type { Diagnostic } from '../../contract/diagnostics.ts';
import { textOf } from './copies.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { functionAt } from './rewrites/functions.ts';
import { type Source, sourceOf } from './rewrites/sources.ts';
import { addStructures, type Structure, structureVariables } from './rewrites/structures.ts';
import { LONGEST } from './source-pieces.ts';
import { textAt, Unclosed } from './statements.ts';
import { reportedName } from './tool-paths.ts';

const MAY_HAVE =
  /\bfunction\b[\s\S]*\b(?:localparam|parameter)\b|\b(?:localparam|parameter)\b[\s\S]*\bfunction\b/;

/** The functions that constants are made with. */
function ofConstants({ pieces }: Source): Set<string> {
  const called = new Set<string>();
  for (const [at, { text }] of pieces.entries()) {
    if (!/^(?:localparam|parameter)$/.test(text)) continue;
    for (let next = at + 1; next < pieces.length && !/^(?:;|module)$/.test(textAt(pieces, next)); next++)
      if (pieces[next]?.kind === 'word' && textAt(pieces, next + 1) === '(') called.add(textAt(pieces, next));
  }
  return called;
}

/** Functions that give values to members of structures, each with the offset of the first. */
function givingMembers(
  { pieces, pairs }: Source,
  structures: ReadonlyMap<string, Structure | null>,
): Map<string, number> {
  const found = new Map<string, number>();
  try {
    for (let head = 0; head < pieces.length; head++) {
      const body = textAt(pieces, head) === 'function' ? functionAt(pieces, head) : null;
      if (!body) continue;
      const scope = { kind: 'module' as const, name: body.name, from: head, to: body.to };
      const variables = structureVariables(pieces, pairs, scope, structures);
      for (let at = body.from; at < body.to && !found.has(body.name); at++) {
        const isMember = variables.has(textAt(pieces, at)) && textAt(pieces, at + 1) === '.';
        const isFirst = /^(?:;|begin|else|\)|do)$/.test(textAt(pieces, at - 1));
        if (isMember && isFirst) found.set(body.name, pieces[at]?.start ?? 0);
      }
      head = body.to;
    }
  } catch (error) {
    // The tool says what has no end.
    if (!(error instanceof Unclosed)) throw error;
  }
  return found;
}

/**
 * Errors for functions that constants are made with and that give values to members of structures one by one, whose widths are no
 * numbers: of those that are, bits are given (see function-members.ts). Yosys keeps only the last of them.
 */
export function membersInConstants({ files, units }: PreparedDesign): Diagnostic[] {
  const texts = units.map((path) => ({ path, text: textOf(files, path) }));
  if (!texts.some(({ text }) => /\bstruct\b/.test(text)) || !texts.some(({ text }) => MAY_HAVE.test(text)))
    return [];
  const sources = texts
    .filter(({ text }) => text.length <= LONGEST)
    .map(({ path, text }) => ({ path, source: sourceOf(text) }));
  const structures = new Map<string, Structure | null>();
  for (const { source } of sources) addStructures(source.pieces, source.pairs, source.scopes, structures);
  const called = new Set(sources.flatMap(({ source }) => [...ofConstants(source)]));
  return sources.flatMap(({ path, source }) =>
    [...givingMembers(source, structures)]
      .filter(([name]) => called.has(name))
      .map(([name, offset]) => ({
        severity: 'error' as const,
        code: 'design_invalid',
        message: `Yosys keeps only the last member that ${name} gives a value, where a constant is made with it: give ${name} all of them at once, as in \`${name} = {…}\``,
        file: reportedName(path),
        line: source.text.slice(0, offset).split('\n').length,
      })),
  );
}

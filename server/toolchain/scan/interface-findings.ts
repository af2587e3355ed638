import type { Diagnostic } from '../../contract/diagnostics.ts';
import { textOf } from './copies.ts';
import { interfacesIn, interfacesOf } from './interface-shapes.ts';
import { piecesOf } from './outline-lexer.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { LONGEST } from './source-pieces.ts';
import { bracketPairs } from './statements.ts';

/** What is said of a name that Yosys does not know yet. */
const UNKNOWN = / is declared nowhere\b/;

/** Each signal of an interface as modules name it: `bus.ack`. */
function membersOf({ files, units }: Pick<PreparedDesign, 'files' | 'units'>): Set<string> {
  const members = new Set<string>();
  const texts = units.map((path) => textOf(files, path)).filter((text) => text.length <= LONGEST);
  if (!texts.some((text) => /\binterface\b/.test(text))) return members;
  const sources = texts.map((text) => {
    const pieces = piecesOf(text);
    return { pieces, pairs: bracketPairs(pieces) };
  });
  const words = new Map<string, Set<string>>();
  for (const { pieces, pairs } of sources)
    for (const { name, from, to } of interfacesIn(pieces, pairs))
      words.set(
        name,
        new Set(pieces.slice(from, to).flatMap(({ kind, text }) => (kind === 'word' ? text : []))),
      );
  for (const { pieces, pairs } of sources)
    for (const [name, { of }] of interfacesOf(pieces, pairs, [0, pieces.length], words).used)
      for (const word of words.get(of) ?? []) members.add(`${name}.${word}`);
  return members;
}

/**
 * Tells a warning of Yosys for what is right: it reads a module before it knows the interfaces in it, takes each of their signals
 * for a new wire, and makes the module once more.
 */
export function interfaceWarnings(
  source: Pick<PreparedDesign, 'files' | 'units'>,
): (finding: Diagnostic) => boolean {
  let members: Set<string> | null = null;
  return ({ severity, message, net }) => {
    if (severity !== 'warning' || !net?.includes('.') || !UNKNOWN.test(message)) return false;
    members ??= membersOf(source);
    return members.has(net.replace(/\[-?\d+\]/g, ''));
  };
}

import type { Diagnostic } from '../../contract/diagnostics.ts';
import { textOf } from './copies.ts';
import { interfacesIn, interfacesOf } from './interface-shapes.ts';
import { type InterfaceSignal, signalsIn } from './interface-signals.ts';
import { piecesOf } from './outline-lexer.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { wantsDeclarations } from './rewrites/net-types.ts';
import { LONGEST } from './source-pieces.ts';
import { bracketPairs } from './statements.ts';
import { reportedName } from './tool-paths.ts';

/** What is said of a name that Yosys does not know yet. */
const UNKNOWN = / is declared nowhere\b/;
/** What it says of a signal that it takes for a wire of one bit. */
const AS_WIRE = / is assigned in a block at /;
const AS_BIT = / lies beyond its bits\b/;

/** Each signal of an interface as modules name it: `bus.ack`. */
function membersOf({
  files,
  units,
}: Pick<PreparedDesign, 'files' | 'units'>): Map<string, InterfaceSignal | null> {
  const members = new Map<string, InterfaceSignal | null>();
  const texts = units.map((path) => textOf(files, path)).filter((text) => text.length <= LONGEST);
  if (!texts.some((text) => /\binterface\b/.test(text))) return members;
  const sources = texts.map((text) => {
    const pieces = piecesOf(text);
    return { pieces, pairs: bracketPairs(pieces) };
  });
  const words = new Map<string, Map<string, InterfaceSignal | null>>();
  for (const { pieces, pairs } of sources)
    for (const { name, from, to } of interfacesIn(pieces, pairs)) {
      const signals = signalsIn(pieces, from, to);
      const named = pieces.slice(from, to).flatMap(({ kind, text }) => (kind === 'word' ? text : []));
      words.set(name, new Map(named.map((word) => [word, signals.get(word) ?? null])));
    }
  for (const { pieces, pairs } of sources)
    for (const [name, { of }] of interfacesOf(pieces, pairs, [0, pieces.length], words).used)
      for (const [word, signal] of words.get(of) ?? []) members.set(`${name}.${word}`, signal);
  return members;
}

/** Whether a line has an index of a signal in numbers that lies beyond its range. */
function isBeyond(line: string, net: string, { range }: InterfaceSignal): boolean {
  if (!range) return false;
  const [low, high] = [Math.min(...range), Math.max(...range)];
  const index = new RegExp(
    `\\b${net.replace('.', '\\s*\\.\\s*')}\\s*\\[\\s*(\\d+)\\s*(?::\\s*(\\d+)\\s*)?\\]`,
    'g',
  );
  return [...line.matchAll(index)].some(([, ...bounds]) =>
    bounds.some((bound) => bound !== undefined && (Number(bound) < low || Number(bound) > high)),
  );
}

/**
 * What Yosys says of the signals of interfaces as it is: it reads a module before it knows the interfaces in it, takes each of
 * their signals for a new wire of one bit, and makes the module once more. What is wrong for that alone is null.
 */
export function interfaceFindings(
  source: Pick<PreparedDesign, 'files' | 'units'>,
): (finding: Diagnostic) => Diagnostic | null {
  let members: Map<string, InterfaceSignal | null> | null = null;
  const textFor = ({ file }: Diagnostic): string => {
    const path = Object.keys(source.files).find((one) => reportedName(one) === file);
    return path === undefined ? '' : textOf(source.files, path);
  };
  return (finding) => {
    const { severity, message, line } = finding;
    if (severity !== 'warning') return finding;
    const isUnknown = UNKNOWN.test(message);
    const net = (finding.net ?? /^wire '\\?([^']+)'/.exec(message)?.[1])?.replace(/\[-?\d+\]/g, '');
    if (net?.includes('.') && (isUnknown || AS_WIRE.test(message) || AS_BIT.test(message))) {
      members ??= membersOf(source);
      const signal = members.get(net);
      const isWrong =
        signal === undefined ||
        (AS_WIRE.test(message) && signal?.isNet) ||
        (AS_BIT.test(message) &&
          signal &&
          isBeyond(textFor(finding).split('\n')[(line ?? 0) - 1] ?? '', net, signal));
      if (!isWrong) return null;
    }
    if (!isUnknown || net === undefined) return finding;
    const texts = new Map(Object.keys(source.files).map((path) => [path, textOf(source.files, path)]));
    if (!wantsDeclarations(textFor(finding), texts)) return finding;
    return {
      ...finding,
      severity: 'error',
      code: 'yosys_error',
      message: `${net} is declared nowhere, and \`default_nettype none wants that of every name`,
    };
  };
}

import type { Diagnostic } from '../../../../contract/diagnostics.ts';
import { vhdlSource } from '../../../languages/vhdl/vhdl-places.ts';
import { constantOf } from './constants.ts';
import type { NetlistModule } from './netlist.ts';

const WORD = 32;

/** A constant of several whole words, all of whose bits are the same: GHDL does not look at the highest word. */
const isSuspect = (modules: readonly NetlistModule[]): boolean =>
  modules.some(({ gates }) =>
    gates.some((gate) => {
      const width = gate.outputs[0]?.width ?? 0;
      if (!/^\$const_(?:UB32|X|Z)$/.test(gate.kind) || width <= WORD || width % WORD !== 0) return false;
      return gate.kind !== '$const_UB32' || !constantOf(gate, width)?.includes('1');
    }),
  );

/** `x"5A00000000000000"` and the like: bits, and nothing but 0 behind the first 32. */
function isLong(literal: string): boolean {
  const [, base = '', digits = ''] = /^([box])?"([0-9a-fuxz_-]*)"$/i.exec(literal) ?? [];
  const plain = digits.replaceAll('_', '');
  const bits = { b: 1, o: 3, x: 4 }[base.toLowerCase()] ?? 1;
  const top = WORD / bits;
  return plain.length > top && /^0+$/.test(plain.slice(top)) && /[^0]/.test(plain.slice(0, top));
}

/**
 * Warnings for constants that GHDL may have taken for 0, or for unknown, up to its release 6 (`Is_Full` in
 * `synth-vhdl_context.adb`): those of a multiple of 32 bits whose bits below the highest 32 are all the same. The netlist does not
 * tell them from others, so a source is looked through where it has such a constant.
 * @param texts of the sources, by their names
 */
export function lostBits(
  modules: readonly NetlistModule[],
  texts: ReadonlyMap<string, string>,
): Diagnostic[] {
  if (!isSuspect(modules)) return [];
  const found: Diagnostic[] = [];
  for (const [file, text] of texts) {
    const { tokens } = vhdlSource(text);
    for (const [at, token] of tokens.entries()) {
      // A string may be one token with its base or behind it.
      const before = tokens[at - 1];
      const based =
        before && /^[box]$/i.test(before.text) && before.start + 1 === token.start ? before.text : '';
      const isBegin = token.text === '=' && tokens[at - 1]?.text === ':' && tokens[at + 1]?.text === '(';
      if (
        !(
          isLong(`${based}${token.text}`) ||
          (isBegin && mixesValues(tokens.slice(at + 1).map((one) => one.text)))
        )
      )
        continue;
      found.push({
        severity: 'warning',
        code: 'ghdl_warning',
        message:
          'where the highest 32 bits of a constant are the only ones that are not 0 (or have a value), GHDL takes a constant for 0 that is none: look at what the design answers, or set these bits in a process',
        file,
        line: token.line,
      });
    }
  }
  return found;
}

/** Whether an aggregate gives other values to some elements than to the others: only the first of them are in danger. */
function mixesValues(tokens: readonly string[]): boolean {
  let depth = 0;
  const end = tokens.findIndex((text) => {
    if (text === '(') depth++;
    if (text === ')') depth--;
    return depth === 0;
  });
  const own = tokens.slice(0, end < 0 ? undefined : end).join(' ');
  const others = /others\s*=\s*>\s*(?:\(\s*others\s*=\s*>\s*)?('[0uxz-]'|[box]?\s*"[0uxz_-]*"|0)/i.exec(own);
  if (others === null) return false;
  return /[1-9a-f]/i.test(
    own
      .replace(others[0], '')
      .replace(/\b\d+\s*=\s*>/g, '')
      .replace(/\b(?:others|to|downto)\b|\b[box](?=\s*")/gi, ''),
  );
}

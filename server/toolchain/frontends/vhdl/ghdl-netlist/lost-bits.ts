import type { Diagnostic } from '../../../../contract/diagnostics.ts';
import { vhdlSource } from '../../../languages/vhdl/vhdl-places.ts';
import { constantOf } from './constants.ts';
import type { NetlistModule } from './netlist.ts';

const WORD = 32;

/** Whether a constant has whole words of equal bits: GHDL ignores the highest word of such a constant. */
const isSuspect = (modules: readonly NetlistModule[]): boolean =>
  modules.some(({ gates }) =>
    gates.some((gate) => {
      const width = gate.outputs[0]?.width ?? 0;
      if (!/^\$const_(?:UB32|X|Z)$/.test(gate.kind) || width <= WORD || width % WORD !== 0) return false;
      return gate.kind !== '$const_UB32' || !constantOf(gate, width)?.includes('1');
    }),
  );

/** A literal such as `x"5A00000000000000"`: only 0 after the first 32 bits. */
function isLong(literal: string): boolean {
  const [, base = '', digits = ''] = /^([box])?"([0-9a-fuxz_-]*)"$/i.exec(literal) ?? [];
  const plain = digits.replaceAll('_', '');
  const bits = { b: 1, o: 3, x: 4 }[base.toLowerCase()] ?? 1;
  const top = WORD / bits;
  return plain.length > top && /^0+$/.test(plain.slice(top)) && /[^0]/.test(plain.slice(0, top));
}

/**
 * Warns of constants that GHDL may have taken for 0, or for unknown. Up to release 6 (`Is_Full` in
 * `synth-vhdl_context.adb`) it does so when all bits below the highest 32 are equal, and the width is a multiple of 32.
 * The netlist does not show the difference. Therefore this searches the sources.
 * @param texts of the sources, by name
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
      // A base and its string may be one token or two.
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
          'GHDL may take this constant for 0, because only its highest 32 bits differ from 0 (or have a value): check what the design answers, or set these bits in a process',
        file,
        line: token.line,
      });
    }
  }
  return found;
}

/** Whether an aggregate has other values in some elements than in the rest. */
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

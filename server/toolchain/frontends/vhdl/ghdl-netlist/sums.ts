// Sums and differences of GHDL, whose operands may be whole numbers.
import type { ModuleWriter, Signal } from './module-writer.ts';
import type { Gate } from './netlist.ts';

/** Whether GHDL made a gate for the operator of another one. */
const isPartOf = (gate: Gate, other: Gate): boolean =>
  gate.place.line === other.place.line && gate.place.column === other.place.column;

/** Bits of an integer. */
export const INTEGER = 32;

/**
 * The integer before the `+` or `-` of a wider unsigned value, null for another operand. Synopsys's packages extend it
 * with its sign, GHDL with zeros (`Synth_Dyadic_Nat_Uns`).
 */
function integerBefore(gate: Gate, writer: ModuleWriter): Signal | null {
  const from = writer.drivers.get(gate.inputs[0] ?? -1);
  if (from?.kind !== '$uextend' || !isPartOf(from, gate)) return null;
  const integer = writer.input(from, 0);
  if (integer.width !== INTEGER) return null;
  const before = writer.drivers.get(from.inputs[0] ?? -1);
  // A number with a range is extended to an integer first.
  const isRanged = before?.kind === '$sextend' && isPartOf(before, gate);
  const [left = null] = gate.operands ?? [];
  if (left === 'number' || isRanged) return integer;
  if (left === null && gate.isSynopsys)
    writer.warn(
      gate,
      'GHDL does not show whether the value on the left is a number, which may be negative: put the wider vector on the left',
    );
  return null;
}

/** A sum. */
export function writeSum(gate: Gate, writer: ModuleWriter): void {
  const y = writer.output(gate);
  const integer = integerBefore(gate, writer);
  const operands = [integer ?? writer.input(gate, 0, y.width), writer.input(gate, 1, y.width)] as const;
  writer.calculate(gate, '$add', operands, y, integer !== null, integer !== null);
}

const CUT_OFFSET =
  'GHDL takes the wrong part of this vector, whose range counts up: give the index a range that is as large as that of the vector, or the vector a range with `downto`';

/**
 * The offset of a slice such as `x(n to n + 3)`, which GHDL computes from the end of the vector with the bits of the
 * index, although it may need more. That of an element has the bits that it needs, and another constant.
 */
function isCutOffset(gate: Gate, writer: ModuleWriter): boolean {
  const from = writer.drivers.get(gate.inputs[0] ?? -1);
  const { word = '-' } = gate;
  if (word === '-' || from?.kind !== '$const_SB32') return false;
  return (from.parameters[0] ?? 0) >= 2 ** (gate.outputs[0]?.width ?? INTEGER);
}

/**
 * A difference. Up to release 6 GHDL exchanges the operands of a number minus a signed value (`Synth_Dyadic_Int_Sgn`).
 * The netlist then equals that of a signed value minus a number; only the source shows which one it is.
 */
export function writeDifference(gate: Gate, writer: ModuleWriter): void {
  const y = writer.output(gate);
  if (isCutOffset(gate, writer)) writer.refuse(gate, CUT_OFFSET);
  const integer = integerBefore(gate, writer);
  const operands = [integer ?? writer.input(gate, 0, y.width), writer.input(gate, 1, y.width)] as const;
  const [left = null, right = null] = gate.operands ?? [];
  // A number is extended to the width of the value, or constant.
  const isNumber = (at: number) => {
    const from = writer.drivers.get(gate.inputs[at] ?? -1);
    return (
      operands[at]?.bits !== null ||
      (from !== undefined && isPartOf(from, gate) && /^\$s(?:trunc|extend)$/.test(from.kind))
    );
  };
  const isAlike = !isNumber(0) && !isNumber(1) && right === 'signed';
  const mayBeExchanged =
    (isAlike || (isNumber(1) && !isNumber(0))) &&
    left !== 'vector' &&
    left !== 'signed' &&
    right !== 'number';
  const isExchanged = mayBeExchanged && left === 'number';
  if (mayBeExchanged && !isAlike && !isExchanged && operands[1].bits === null)
    writer.warn(
      gate,
      "GHDL does not show whether this subtracts a number from a value or a value from a number: write `to_signed(number, value'length)` instead of the number",
    );
  const [a, b] = operands;
  writer.calculate(gate, '$sub', isExchanged ? [b, a] : [a, b], y, integer !== null, integer !== null);
}

// Writes the gates that read and write array elements by index.
import type { ModuleWriter, Signal } from './module-writer.ts';
import { constant, joined, sliced } from './module-writer.ts';
import type { Gate } from './netlist.ts';

/** Limit of elements with a comparator each when one element is written. Larger arrays use a shift. */
const MAX_ELEMENTS = 4096;

/** Writes an element's offset: an index times the element's width, or a sum of such products. */
export function writeIndex(gate: Gate, writer: ModuleWriter): void {
  const y = writer.output(gate);
  if (gate.kind === '$addidx') {
    writer.calculate(gate, '$add', [writer.input(gate, 0), writer.input(gate, 1)], y);
    return;
  }
  const [index, step] = [writer.input(gate, 0), gate.parameters[0] ?? 1];
  writer.connect(y, scaled(gate, writer, index, step));
}

/** A product of an index. */
function scaled(gate: Gate, writer: ModuleWriter, index: Signal, step: number): Signal {
  const zeros = Math.log2(step);
  if (Number.isInteger(zeros)) return zeros === 0 ? index : joined([index, constant('0'.repeat(zeros))]);
  const factor = constant(step.toString(2));
  const product = writer.temporary(index.width + factor.width, gate);
  return writer.calculate(gate, '$mul', [index, factor], product);
}

/** One index of an array: bits for each step, and its maximum, which its bits may not reach. */
interface Dimension {
  index: Signal;
  step: number;
  max: number;
}

/** The indices that an offset consists of, that of the largest step first. */
function dimensionsOf(net: number | null, writer: ModuleWriter): Dimension[] {
  const gate = writer.drivers.get(net ?? -1);
  if (gate?.kind === '$addidx')
    return gate.inputs.flatMap((input) => dimensionsOf(input, writer)).sort((a, b) => b.step - a.step);
  const [step = 1, most = Number.POSITIVE_INFINITY] = gate?.kind === '$memidx' ? gate.parameters : [];
  const index = gate?.kind === '$memidx' ? writer.input(gate, 0) : writer.net(net ?? -1);
  return [{ index, step, max: Math.min(most, 2 ** index.width - 1) }];
}

/** Writes the element of an array at an offset: for each index a choice, or a shift where the choices overlap. */
export function writeExtract(gate: Gate, writer: ModuleWriter): void {
  const [y, array, low] = [writer.output(gate), writer.input(gate, 0), gate.parameters[0] ?? 0];
  const dimensions = dimensionsOf(gate.inputs[1] ?? null, writer);
  let from = sliced(array, low, array.width - low);
  for (const [at, { index, step, max }] of dimensions.entries()) {
    const width = dimensions.slice(at + 1).reduce((bits, one) => bits + one.step * one.max, y.width);
    const part = at === dimensions.length - 1 ? y : writer.temporary(width, gate);
    const bits = Math.min(index.width, Math.ceil(Math.log2(max + 1)));
    if (width > step || bits === 0)
      writer.calculate(gate, '$shiftx', [from, scaled(gate, writer, index, step)], part);
    else {
      const whole = from;
      const parts = Array.from({ length: 2 ** bits }, (_, n) =>
        n > max ? constant('x'.repeat(width)) : sliced(whole, n * step, width),
      );
      const pins = { A: joined(parts.reverse()), S: sliced(index, 0, bits), Y: part };
      writer.operation(gate, '$bmux', { WIDTH: width, S_WIDTH: bits }, pins);
    }
    from = part;
  }
}

/** All combinations of indices with their offsets. */
function elementsOf(dimensions: readonly Dimension[]): { offset: number; bits: string }[] {
  let elements = [{ offset: 0, bits: '' }];
  for (const { index, step, max } of dimensions)
    elements = elements.flatMap(({ offset, bits }) =>
      Array.from({ length: max + 1 }, (_, at) => ({
        offset: offset + at * step,
        bits: `${bits}${at.toString(2).padStart(index.width, '0')}`,
      })),
    );
  return elements;
}

/** Writes an array with a new value in the element at an offset, with an optional enable. */
export function writeInsert(gate: Gate, writer: ModuleWriter): void {
  const y = writer.output(gate);
  const [array, value] = [writer.input(gate, 0, y.width), writer.input(gate, 1)];
  const enable = gate.kind === '$dyn_insert_en' ? writer.input(gate, 3) : null;
  const low = gate.parameters[0] ?? 0;
  const dimensions = dimensionsOf(gate.inputs[2] ?? null, writer);
  if (dimensions.reduce((product, { max }) => product * (max + 1), 1) > MAX_ELEMENTS) {
    insertByShift(gate, writer, { array, value, enable, low });
    return;
  }
  const index = joined([...(enable ? [enable] : []), ...dimensions.map((one) => one.index)]);
  const elements = elementsOf(dimensions).sort((a, b) => a.offset - b.offset);
  const parts: Signal[] = [];
  let at = 0;
  for (const { offset, bits } of elements) {
    const begin = low + offset;
    // Beyond the array, or two indices for one element. GHDL makes neither.
    if (begin < at || begin + value.width > y.width) {
      insertByShift(gate, writer, { array, value, enable, low });
      return;
    }
    if (begin > at) parts.push(sliced(array, at, begin - at));
    const own = constant(`${enable ? '1' : ''}${bits}`);
    const isIt = writer.calculate(gate, '$eq', [index, own], writer.temporary(1, gate));
    parts.push(writer.choose(gate, isIt, [sliced(array, begin, value.width), value]));
    at = begin + value.width;
  }
  if (at < y.width) parts.push(sliced(array, at, y.width - at));
  writer.connect(y, joined(parts.reverse()));
}

/** The same as writeInsert, with a mask that is shifted to the element. */
function insertByShift(
  gate: Gate,
  writer: ModuleWriter,
  { array, value, enable, low }: { array: Signal; value: Signal; enable: Signal | null; low: number },
): void {
  const y = writer.output(gate);
  const wide = () => writer.temporary(y.width, gate);
  const index = writer.input(gate, 2);
  const zeros = constant('0'.repeat(low));
  const shifted = (bits: Signal) =>
    writer.calculate(gate, '$shl', [low > 0 ? joined([bits, zeros]) : bits, index], wide());
  const ones = constant('1'.repeat(value.width));
  const mask = shifted(enable ? joined(Array.from({ length: value.width }, () => enable)) : ones);
  const inverse = writer.calculate(gate, '$not', [mask], wide());
  const unchanged = writer.calculate(gate, '$and', [array, inverse], wide());
  const put = writer.calculate(gate, '$and', [shifted(value), mask], wide());
  writer.calculate(gate, '$or', [unchanged, put], y);
}

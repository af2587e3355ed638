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
  const zeros = Math.log2(step);
  if (Number.isInteger(zeros))
    writer.connect(y, zeros === 0 ? index : joined([index, constant('0'.repeat(zeros))]));
  else writer.calculate(gate, '$mul', [index, constant(step.toString(2))], y);
}

/** Writes the element of an array at an offset. */
export function writeExtract(gate: Gate, writer: ModuleWriter): void {
  const y = writer.output(gate);
  const [from, index, low] = [writer.input(gate, 0), writer.input(gate, 1), gate.parameters[0] ?? 0];
  const upper = sliced(from, low, from.width - low);
  writer.calculate(gate, '$shiftx', [upper, index], y);
}

/** One index of an array: bits for each step, and its maximum. */
interface Dimension {
  index: Signal;
  step: number;
  max: number;
}

/** The indices that an offset consists of; null when it has another form. */
function dimensionsOf(net: number | null, writer: ModuleWriter): Dimension[] | null {
  const gate = writer.drivers.get(net ?? -1);
  if (gate?.kind === '$memidx') {
    const [step = 1, max = 0] = gate.parameters;
    return [{ index: writer.input(gate, 0), step, max }];
  }
  if (gate?.kind !== '$addidx') return null;
  const [inner, outer] = gate.inputs.map((input) => dimensionsOf(input, writer));
  return inner && outer ? [...inner, ...outer] : null;
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
  const count = dimensions?.reduce((product, { max }) => product * (max + 1), 1) ?? Number.POSITIVE_INFINITY;
  if (dimensions === null || count > MAX_ELEMENTS) {
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

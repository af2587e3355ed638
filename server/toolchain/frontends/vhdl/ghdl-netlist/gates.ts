// Writes each kind of gate of GHDL as cells of Yosys.
import { writeExtract, writeIndex, writeInsert } from './dynamic.ts';
import type { ModuleWriter, Signal } from './module-writer.ts';
import { constant, joined, sliced } from './module-writer.ts';
import type { Gate } from './netlist.ts';
import { writeLatch, writeRegister } from './registers.ts';
import { INTEGER, writeDifference, writeSum } from './sums.ts';

/** Writes one gate, whose output has bits. */
type WriteGate = (gate: Gate, writer: ModuleWriter) => void;

const binary =
  (type: string, isSigned = false): WriteGate =>
  (gate, writer) => {
    const y = writer.output(gate);
    const operands = [writer.input(gate, 0, y.width), writer.input(gate, 1, y.width)] as const;
    writer.calculate(gate, type, operands, y, isSigned, isSigned);
  };

const unary =
  (type: string): WriteGate =>
  (gate, writer) =>
    void writer.calculate(gate, type, [writer.input(gate, 0)], writer.output(gate));

/** A cell with inverted output. */
const inverted =
  (type: string): WriteGate =>
  (gate, writer) => {
    const y = writer.output(gate);
    const straight = writer.temporary(y.width, gate);
    writer.calculate(gate, type, [writer.input(gate, 0), writer.input(gate, 1)], straight);
    writer.calculate(gate, '$not', [straight], y);
  };

const shift =
  (type: string, isSigned = false): WriteGate =>
  (gate, writer) =>
    void writer.calculate(
      gate,
      type,
      [writer.input(gate, 0), writer.input(gate, 1)],
      writer.output(gate),
      isSigned,
    );

/** First characters of operators that compare numbers of any width. Operators with `?` cut the numbers first. */
const ORDERS = new Set(['=', '/', '<', '>']);

/** Whether a number fits into so many bits. */
const fitsIn = (number: bigint, bits: number, isSigned: boolean): boolean =>
  isSigned
    ? number >= -(1n << BigInt(bits - 1)) && number < 1n << BigInt(bits - 1)
    : number >= 0n && number < 1n << BigInt(bits);

/** Division and remainder. GHDL cuts a number to the other operand's width, which would change the divisor. */
const divide =
  (type: string, isSigned: boolean): WriteGate =>
  (gate, writer) => {
    for (const at of [0, 1] as const) {
      const [number, { bits, width }] = [gate.numbers?.[at] ?? null, writer.input(gate, at)];
      if (number !== null && bits !== null && !fitsIn(number, width, isSigned))
        writer.refuse(
          gate,
          `${number} does not fit into ${width} bits: make the value wider with \`resize\``,
        );
    }
    binary(type, isSigned)(gate, writer);
  };

const TRUNCATED: Readonly<Record<string, boolean>> = { $utrunc: false, $strunc: true };

/** An operand of a comparison. */
interface Compared {
  signal: Signal;
  /** Null: as GHDL has it. */
  isSigned: boolean | null;
}

/** A whole number, with a sign bit. */
function numeral(value: bigint): Signal {
  const bits = (value < 0n ? -value - 1n : value).toString(2).length + 1;
  return constant(BigInt.asUintN(bits, value).toString(2).padStart(bits, '0'));
}

/**
 * An operand of a comparison before GHDL cut it to the other one's width. The packages compare numbers of any width, and
 * a cut number has another value. A cut in the source itself has its own place.
 */
function uncut(writer: ModuleWriter, gate: Gate, at: 0 | 1): Compared {
  const signal = writer.input(gate, at);
  // Gates inside the packages have no word.
  if (gate.word !== undefined && !ORDERS.has(gate.word)) return { signal, isSigned: null };
  const number = gate.numbers?.[at] ?? null;
  if (number !== null && signal.bits !== null && !/[^01]/.test(signal.bits)) {
    const cut = BigInt.asUintN(signal.width, number) === BigInt(`0b${signal.bits}`);
    const fits = number >= -(1n << BigInt(signal.width - 1)) && number < 1n << BigInt(signal.width);
    const isSigned = number < 0n || gate.kind.startsWith('$s') || gate.operands?.[1 - at] === 'signed';
    if (cut && !fits && gate.isSynopsys)
      writer.warn(gate, `${number} does not fit into ${signal.width} bits: tools compare them differently`);
    if (cut && (!fits || (isSigned && number >= 1n << BigInt(signal.width - 1))))
      return { signal: numeral(number), isSigned: gate.kind.startsWith('$u') ? false : isSigned };
  }
  const from = writer.drivers.get(gate.inputs[at] ?? -1);
  const isSigned = from && TRUNCATED[from.kind];
  const isOwn = from?.place.line === gate.place.line && from?.place.column === gate.place.column;
  return from === undefined || isSigned === undefined || !isOwn
    ? { signal, isSigned: null }
    : { signal: writer.input(from, 0), isSigned };
}

const withZeroSign = (signal: Signal): Signal => joined([constant('0'), signal]);

/** @param isSigned null: as the operands are, where it matters */
const compare =
  (type: string, isSigned: boolean | null): WriteGate =>
  (gate, writer) => {
    const y = writer.output(gate);
    const [left, right] = [uncut(writer, gate, 0), uncut(writer, gate, 1)];
    const cut = [left, right].find((one) => one.isSigned !== null);
    const width = writer.input(gate, 0).width;
    if (cut === undefined || !gate.isSynopsys) {
      const signed = isSigned ?? cut?.isSigned ?? false;
      writer.calculate(gate, type, [left.signal, right.signal], y, signed, signed);
    } else if (cut.isSigned) {
      // Synopsys's packages cut a number to the width of a signed value.
      const operands = [writer.input(gate, 0), writer.input(gate, 1)] as const;
      writer.calculate(gate, type, operands, y, isSigned ?? true, isSigned ?? true);
    } else {
      // Next to an unsigned value they cut it to one bit more, which is a sign.
      const low = ({ signal, isSigned: own }: Compared) =>
        own !== null && signal.width > width ? sliced(signal, 0, width + 1) : withZeroSign(signal);
      writer.calculate(gate, type, [low(left), low(right)], y, true, true);
    }
  };

const extreme =
  (type: string, isSigned: boolean): WriteGate =>
  (gate, writer) => {
    const [a, b] = [writer.input(gate, 0), writer.input(gate, 1)];
    const isFirst = writer.calculate(gate, type, [a, b], writer.temporary(1, gate), isSigned, isSigned);
    writer.choose(gate, isFirst, [b, a], writer.output(gate));
  };

const writeAbsolute: WriteGate = (gate, writer) => {
  const a = writer.input(gate, 0);
  const negative = writer.calculate(gate, '$neg', [a], writer.temporary(a.width, gate));
  writer.choose(gate, sliced(a, a.width - 1, 1), [a, negative], writer.output(gate));
};

/** A rotation: a shift of the doubled value by less than its width. */
const rotate =
  (isLeft: boolean): WriteGate =>
  (gate, writer) => {
    const [y, a, amount] = [writer.output(gate), writer.input(gate, 0), writer.input(gate, 1)];
    let by = amount;
    const bits = Math.ceil(Math.log2(y.width));
    if (2 ** amount.width > y.width) {
      if (2 ** bits === y.width) by = bits === 0 ? constant('') : sliced(amount, 0, bits);
      else {
        const width = constant(y.width.toString(2));
        by = writer.calculate(gate, '$mod', [amount, width], writer.temporary(amount.width, gate));
      }
    }
    const twice = writer.temporary(2 * y.width, gate);
    writer.connect(twice, joined([a, a]));
    const shifted = writer.temporary(2 * y.width, gate);
    writer.calculate(gate, isLeft ? '$shl' : '$shr', [twice, by], shifted);
    writer.connect(y, sliced(shifted, isLeft ? y.width : 0, y.width));
  };

const writeConcatenation: WriteGate = (gate, writer) => {
  const parts = gate.inputs.filter((net) => net === null || widthOf(writer, net) > 0);
  writer.connect(
    writer.output(gate),
    joined(parts.map((net) => (net === null ? constant('x') : writer.net(net)))),
  );
};

const widthOf = (writer: ModuleWriter, net: number): number =>
  writer.drivers.get(net)?.outputs.find(({ id }) => id === net)?.width ?? 1;

/** Selects one of four values by two bits; the first is for 00. */
const writeFourWay: WriteGate = (gate, writer) => {
  const y = writer.output(gate);
  const select = writer.input(gate, 0);
  const [low, high] = [sliced(select, 0, 1), sliced(select, 1, 1)];
  const pair = (at: number) =>
    writer.choose(gate, low, [writer.input(gate, at, y.width), writer.input(gate, at + 1, y.width)]);
  writer.choose(gate, high, [pair(1), pair(3)], y);
};

/** Selects one of several values by one bit each. The first is for the lowest bit, contrary to `netlists-gates.ads`. */
const writeOneHot: WriteGate = (gate, writer) => {
  const y = writer.output(gate);
  const select = writer.input(gate, 0);
  const values = gate.inputs.slice(2).map((_, at) => writer.input(gate, at + 2, y.width));
  writer.operation(
    gate,
    '$pmux',
    { WIDTH: y.width, S_WIDTH: select.width },
    { A: writer.input(gate, 1, y.width), B: joined(values.reverse()), S: select, Y: y },
  );
};

/** Another name for a value. */
const writeAlias: WriteGate = (gate, writer) => {
  if (gate.inputs[0] !== null) writer.connect(writer.output(gate), writer.input(gate, 0));
};

const RESET_ALONE = 'only an asynchronous reset assigns';
const ADVICE = 'declare it as a constant, or assign it at the edge of the clock too';

/** Reports a signal whose value GHDL loses. One without an initial value may have no driver at all. */
function reportLost(writer: ModuleWriter, gate: Gate): void {
  const id = gate.outputs[0]?.id ?? -1;
  if (writer.drivers.get(gate.inputs[0] ?? -1)?.kind !== '$const_X') return;
  if (!writer.readers.has(id) && !writer.isOutput(id)) return;
  if (gate.kind === '$isignal')
    writer.refuse(gate, `${RESET_ALONE} this signal, and GHDL loses the value: ${ADVICE}`);
  else
    writer.warn(
      gate,
      `nothing assigns this signal, or only an asynchronous reset, whose value GHDL loses: ${ADVICE}`,
    );
}

/** Bits of a signal from the lowest of them on, with their initial value, if the signal has one. */
interface Part {
  signal: Gate;
  low: number;
  initial: string | null;
}

/**
 * The value of a part that only an asynchronous reset assigns, which GHDL makes a choice between this value and the part
 * itself; null for any other part.
 */
function resetAlone(writer: ModuleWriter, choice: Gate, { signal, low }: Part): string | null {
  if (choice.kind !== '$mux2') return null;
  const isItself = (net: number | null) => {
    const slice = writer.drivers.get(net ?? -1);
    return (
      slice?.kind === '$extract' && slice.inputs[0] === signal.outputs[0]?.id && slice.parameters[0] === low
    );
  };
  const [, a = null, b = null] = choice.inputs;
  return isItself(a) ? writer.constantBits(b) : isItself(b) ? writer.constantBits(a) : null;
}

/** What drives a part. GHDL has `Z` where nothing does: there it has its initial value. */
function drivenPart(writer: ModuleWriter, net: number, part: Part): Signal {
  const from = writer.drivers.get(net);
  const { signal, low, initial } = part;
  if (from?.kind === '$const_Z' && initial !== null) return constant(initial);
  const value = from ? resetAlone(writer, from, part) : null;
  if (value !== null) {
    if ([...(initial ?? '')].some((bit, at) => bit !== 'x' && bit !== value[at]))
      writer.refuse(
        signal,
        `${RESET_ALONE} some bits of this signal, and not their initial value: ${ADVICE}`,
      );
    return constant(value);
  }
  if (from === undefined || !/^\$concat/.test(from.kind)) return writer.net(net);
  const widths = from.inputs.map((input) => (input === null ? 1 : widthOf(writer, input)));
  let above = widths.reduce((sum, width) => sum + width, 0);
  return joined(
    from.inputs.map((input, at) => {
      const width = widths[at] ?? 1;
      const bits = initial?.slice(initial.length - above, initial.length - above + width) ?? null;
      above -= width;
      if (input === null) return constant('x');
      return drivenPart(writer, input, { signal, low: low + above, initial: bits });
    }),
  );
}

/** A signal. Where nothing drives it, it has its initial value; else the register has it. */
const writeSignal: WriteGate = (gate, writer) => {
  reportLost(writer, gate);
  const [driven = null] = gate.inputs;
  const initial = writer.constantBits(gate.inputs[1] ?? null);
  // What only assigns itself has its initial value forever.
  if (driven === null || driven === gate.outputs[0]?.id) {
    if (initial) writer.connect(writer.output(gate), constant(initial));
  } else writer.connect(writer.output(gate), drivenPart(writer, driven, { signal: gate, low: 0, initial }));
};

const FINDS = /^find_(?:left|right)most$/;

const extend =
  (isSigned: boolean): WriteGate =>
  (gate, writer) => {
    const [a, y] = [writer.input(gate, 0), writer.output(gate)];
    let sign = isSigned ? sliced(a, a.width - 1, 1) : constant('0');
    if (FINDS.test(gate.word ?? '')) {
      // Of two bits, the second has the same index as "not found".
      if (a.width === 1)
        writer.refuse(gate, `GHDL computes \`${gate.word}\` of a single bit wrongly: test the bit itself`);
      // "Not found" is -1, all ones. The highest index may begin with a 1, too.
      sign = writer.calculate(gate, '$reduce_and', [a], writer.temporary(1, gate));
    }
    writer.connect(y, joined([...Array.from({ length: y.width - a.width }, () => sign), a]));
  };

const writeSlice: WriteGate = (gate, writer) => {
  const y = writer.output(gate);
  writer.connect(y, sliced(writer.input(gate, 0), gate.parameters[0] ?? 0, y.width));
};

/** Whether a cut remainder is of vectors, at least one as wide as the result. A cut number is one of a smaller range. */
function isOfVectors(writer: ModuleWriter, cut: Gate): boolean {
  const width = cut.outputs[0]?.width;
  const remainder = writer.drivers.get(cut.inputs[0] ?? -1);
  const isOwn = (net: number | null) => {
    const from = writer.drivers.get(net ?? -1);
    const own = from?.kind === '$sextend' ? from.inputs[0] : net;
    return typeof own === 'number' && widthOf(writer, own) === width;
  };
  return (
    remainder !== undefined &&
    !remainder.operands?.every((type) => type === 'number') &&
    remainder.inputs.some(isOwn)
  );
}

/** Functions that keep the sign when they cut a vector. GHDL has the same gate for `to_signed`, which does not. */
const keepsSignOf = (gate: Gate, writer: ModuleWriter): boolean =>
  gate.word === 'resize' || (/^(?:mod|rem)$/.test(gate.word ?? '') && isOfVectors(writer, gate));

const writeTruncation: WriteGate = (gate, writer) => {
  const [a, y] = [writer.input(gate, 0), writer.output(gate)];
  // The part of a value that is all of it gives its place to what made the value. Integers are cut at the place of an index.
  const isUnclear = gate.word === '(' && (y.width === 1 || a.width !== INTEGER);
  const keepsSign = gate.kind === '$strunc' && (isUnclear || keepsSignOf(gate, writer));
  if (keepsSign && isUnclear)
    writer.warn(
      gate,
      'GHDL does not show how this is cut: the bench takes its sign, as `resize` does. Assign the result of `resize` to a signal first',
    );
  writer.connect(
    y,
    keepsSign
      ? joined([sliced(a, a.width - 1, 1), ...(y.width > 1 ? [sliced(a, 0, y.width - 1)] : [])])
      : sliced(a, 0, y.width),
  );
};

/** A tristate driver. */
const writeTristate: WriteGate = (gate, writer) => {
  const y = writer.output(gate);
  const free = constant('z'.repeat(y.width));
  writer.choose(gate, writer.input(gate, 0), [free, writer.input(gate, 1, y.width)], y);
};

/** Two drivers of one wire. */
const writeResolver: WriteGate = (gate, writer) => {
  const y = writer.output(gate);
  for (const at of [0, 1]) if (gate.inputs[at] !== null) writer.connect(y, writer.input(gate, at));
};

const refused =
  (message: string): WriteGate =>
  (gate, writer) =>
    writer.refuse(gate, message);

const TWO_CLOCKS = refused(
  'a register here has two clocks, which no part has: give each clock its own process and signal',
);
const each = (kinds: string, write: WriteGate): Record<string, WriteGate> =>
  Object.fromEntries(kinds.split(' ').map((kind) => [kind, write]));

/** Every gate of GHDL 2.0 to 6.0. Source: `netlists-gates.ads` and `netlists-builders.adb` of GHDL. */
export const GATES: Readonly<Record<string, WriteGate>> = {
  $and: binary('$and'),
  $or: binary('$or'),
  $xor: binary('$xor'),
  $nand: inverted('$and'),
  $nor: inverted('$or'),
  $xnor: binary('$xnor'),
  $add: writeSum,
  $sub: writeDifference,
  $umin: extreme('$lt', false),
  $smin: extreme('$lt', true),
  $umax: extreme('$gt', false),
  $smax: extreme('$gt', true),
  $umul: binary('$mul'),
  $smul: binary('$mul', true),
  $udiv: divide('$div', false),
  $sdiv: divide('$div', true),
  $umod: divide('$mod', false),
  // It has the sign of the divisor; Verilog's `%` has the sign of the dividend.
  $smod: divide('$modfloor', true),
  $srem: divide('$mod', true),
  $not: unary('$not'),
  $neg: unary('$neg'),
  $abs: writeAbsolute,
  $lsl: shift('$shl'),
  $lsr: shift('$shr'),
  $asr: shift('$sshr', true),
  $rol: rotate(true),
  $ror: rotate(false),
  $eq: compare('$eq', null),
  $ne: compare('$ne', null),
  $ule: compare('$le', false),
  $sle: compare('$le', true),
  $ult: compare('$lt', false),
  $slt: compare('$lt', true),
  $uge: compare('$ge', false),
  $sge: compare('$ge', true),
  $ugt: compare('$gt', false),
  $sgt: compare('$gt', true),
  $red_and: unary('$reduce_and'),
  $red_or: unary('$reduce_or'),
  $red_xor: unary('$reduce_xor'),
  $mux2: (gate, writer) => {
    const y = writer.output(gate);
    const values = [writer.input(gate, 1, y.width), writer.input(gate, 2, y.width)] as const;
    writer.choose(gate, writer.input(gate, 0), values, y);
  },
  $mux4: writeFourWay,
  $pmux: writeOneHot,
  $bmux: (gate, writer) => {
    const pins = { A: writer.input(gate, 0), S: writer.input(gate, 1), Y: writer.output(gate) };
    writer.operation(gate, '$bmux', { WIDTH: pins.Y.width, S_WIDTH: pins.S.width }, pins);
  },
  $mdff: TWO_CLOCKS,
  $midff: TWO_CLOCKS,
  $dlatch: writeLatch,
  $tri: writeTristate,
  $resolver: writeResolver,
  $utrunc: writeTruncation,
  $strunc: writeTruncation,
  $uextend: extend(false),
  $sextend: extend(true),
  $extract: writeSlice,
  $dyn_extract: writeExtract,
  $dyn_insert: writeInsert,
  $dyn_insert_en: writeInsert,
  $memidx: writeIndex,
  $addidx: writeIndex,
  $mem_multiport: refused('a memory here has two write clocks: write it with one clock, or use two memories'),
  ...each('$concat2 $concat3 $concat4 $concatn', writeConcatenation),
  ...each('$dff $adff $idff $iadff', writeRegister),
  ...each('$output $port $enable $nop', writeAlias),
  ...each('$signal $isignal $ioutput', writeSignal),
  ...each(
    '$allconst $anyconst $allseq $anyseq',
    refused('a construct for formal verification cannot be built: remove it'),
  ),
  // Others write these: constants and edges by their readers, ports by their memory.
  ...each('$const_X $const_Z $const_0 $const_1 $const_UB32 $const_SB32 $const_UL32', () => {}),
  ...each('$const_bit $const_log $posedge $negedge $inout $iinout', () => {}),
  ...each('$memory $memory_init $mem_rd $mem_rd_sync $mem_wr_sync', () => {}),
  // Assertions do not change the circuit.
  ...each('$assert $assume $cover $assert_cover', () => {}),
};

// Writes memories with their ports.
import { type Clock, constant, joined, type ModuleWriter, quoted, type Signal } from './module-writer.ts';
import type { Gate, NetlistModule } from './netlist.ts';

const PORTS = new Set(['$mem_rd', '$mem_rd_sync', '$mem_wr_sync']);
const MEMORIES = new Set(['$memory', '$memory_init']);

export const isMemory = ({ kind }: Pick<Gate, 'kind'>): boolean => MEMORIES.has(kind);

/** A write port, as later ports need it. */
interface Write {
  clock: Clock;
  address: Signal;
  enable: Signal;
  data: Signal;
}

/**
 * Ports of a memory in the order in which they act.
 * @param readers of a net
 */
function portsOf(memory: Gate, readers: (net: number) => readonly Gate[] | undefined): Gate[] {
  const ports: Gate[] = [];
  let net = memory.outputs[0]?.id;
  while (net !== undefined) {
    const next = readers(net)?.find(({ kind, inputs }) => PORTS.has(kind) && inputs[0] === net);
    if (next === undefined || ports.includes(next)) break;
    ports.push(next);
    net = next.outputs[0]?.id;
  }
  return ports;
}

/** Whether a module has a memory whose ports have several widths: GHDL 2 gives some parts of a record such widths. */
export function hasMixedWidths({ gates, self }: NetlistModule): boolean {
  const nets = [...gates, ...(self ? [self] : [])].flatMap(({ outputs }) => outputs);
  const widths = new Map(nets.map(({ id, width }) => [id, width]));
  const ports = gates.filter(({ kind }) => PORTS.has(kind));
  const width = ({ kind, inputs, outputs }: Gate) =>
    kind === '$mem_wr_sync' ? widths.get(inputs[4] ?? -1) : outputs[1]?.width;
  return gates.filter(isMemory).some((memory) => new Set(portsOf(memory, () => ports).map(width)).size > 1);
}

const widthOf = (port: Gate, writer: ModuleWriter): number =>
  port.kind === '$mem_wr_sync' ? writer.input(port, 4).width : writer.output(port, 1).width;

/**
 * Addresses of ports that count from the last word, as GHDL's do for an array of an ascending range, counted from the first; null
 * where one of them does not. Of an address that is a register, only this way the register remains the address.
 */
function turnedAddresses(ports: readonly Gate[], size: number, writer: ModuleWriter): Signal[] | null {
  const last = size - 1;
  const isLast = (bits: string | null) => bits !== null && Number.parseInt(bits, 2) === last;
  const turned = ports.map((port) => {
    const net = port.inputs[1] ?? null;
    const bits = writer.constantBits(net);
    if (bits !== null) {
      const at = last - Number.parseInt(bits, 2);
      return at < 0 ? null : constant(at.toString(2).padStart(bits.length, '0'));
    }
    const from = writer.drivers.get(net ?? -1);
    return from?.kind === '$sub' && isLast(writer.constantBits(from.inputs[0] ?? null))
      ? writer.input(from, 1)
      : null;
  });
  return turned.includes(null) ? null : (turned as Signal[]);
}

/** The words of a memory in the other order. */
const turnedWords = (bits: string, width: number): string =>
  (bits.match(new RegExp(`.{${width}}`, 'g')) ?? []).reverse().join('');

/** A mask in RTLIL, at least one bit wide; the first port is the lowest bit. */
const mask = (bits: readonly boolean[]): string =>
  constant(
    [...bits]
      .reverse()
      .map((bit) => (bit ? '1' : '0'))
      .join(''),
  ).text;

/**
 * Writes a memory with its ports. They act in GHDL's order: a read after a write gets the data of the same clock edge,
 * and of two writes to one word the later one counts.
 */
export function writeMemory(memory: Gate, writer: ModuleWriter): void {
  const ports = portsOf(memory, (net) => writer.readers.get(net));
  const [first] = ports;
  const bits = memory.outputs[0]?.width ?? 0;
  const width = first ? widthOf(first, writer) : 0;
  if (first === undefined || width === 0) return;
  if (bits % width !== 0 || ports.some((port) => widthOf(port, writer) !== width)) {
    writer.refuse(memory, 'a memory here is read and written with several word widths: use one width');
    return;
  }
  const size = bits / width;
  const name = writer.names.unique(memory.name);
  writer.memory(memory, name, width, size);
  const common = { MEMID: quoted(`\\${name}`), WIDTH: width };
  const turned = turnedAddresses(ports, size, writer);
  const contents = memory.kind === '$memory_init' ? initialBits(memory, writer) : null;
  const initial = contents !== null && turned ? turnedWords(contents, width) : contents;
  if (initial !== null && !/^x*$/.test(initial))
    writer.operation(
      memory,
      '$meminit_v2',
      { ...common, ABITS: 32, WORDS: size, PRIORITY: 0 },
      { ADDR: constant('0'.repeat(32)), DATA: constant(initial), EN: constant('1'.repeat(width)) },
    );
  const count = ports.filter(({ kind }) => kind === '$mem_wr_sync').length;
  const writes: Write[] = [];
  for (const [at, port] of ports.entries()) {
    const address = turned?.[at] ?? writer.input(port, 1);
    const clock = port.kind === '$mem_rd' ? null : writer.clock(port, 2);
    const own = { ...common, ABITS: address.width };
    if (port.kind === '$mem_wr_sync') {
      if (clock === null) continue;
      const [enable, data] = [writer.input(port, 3), writer.input(port, 4, width)];
      const later = Array.from({ length: count }, (_, at) => writes[at]?.clock.id === clock.id);
      writer.operation(
        port,
        '$memwr_v2',
        {
          ...own,
          CLK_ENABLE: 1,
          CLK_POLARITY: clock.edge === 'posedge' ? 1 : 0,
          PORTID: writes.length,
          PRIORITY_MASK: mask(later),
        },
        {
          CLK: clock.signal,
          EN: joined(Array.from({ length: width }, () => enable)),
          ADDR: address,
          DATA: data,
        },
      );
      writes.push({ clock, address, enable, data });
    } else if (port.kind === '$mem_rd_sync') {
      if (clock === null) continue;
      const seen = Array.from({ length: count }, (_, at) => writes[at]?.clock.id === clock.id);
      writeRead(writer, port, own, {
        clock,
        enable: writer.input(port, 3),
        address,
        data: writer.output(port, 1),
        seen: mask(seen),
      });
    } else {
      const data = writer.output(port, 1);
      const word = writes.length === 0 ? data : writer.temporary(width, port);
      writeRead(writer, port, own, {
        clock: null,
        enable: constant('1'),
        address,
        data: word,
        seen: mask(Array.from({ length: count }, () => false)),
      });
      writePassed(writer, port, writes, { address, word, data });
    }
  }
}

function writeRead(
  writer: ModuleWriter,
  port: Gate,
  parameters: Readonly<Record<string, string | number>>,
  read: { clock: Clock | null; enable: Signal; address: Signal; data: Signal; seen: string },
): void {
  const { clock, enable, address, data, seen } = read;
  const unknown = constant('x'.repeat(data.width)).text;
  writer.operation(
    port,
    '$memrd_v2',
    {
      ...parameters,
      CLK_ENABLE: clock ? 1 : 0,
      CLK_POLARITY: clock?.edge === 'negedge' ? 0 : 1,
      TRANSPARENCY_MASK: seen,
      COLLISION_X_MASK: seen.replaceAll(/(?<=')1|(?<=[01])1/g, '0'),
      ARST_VALUE: unknown,
      SRST_VALUE: unknown,
      INIT_VALUE: unknown,
      CE_OVER_SRST: 0,
    },
    {
      CLK: clock?.signal ?? constant('x'),
      EN: enable,
      ARST: constant('0'),
      SRST: constant('0'),
      ADDR: address,
      DATA: data,
    },
  );
}

/** Writes an asynchronous read after writes: where the addresses are equal, it returns the data about to be written. */
function writePassed(
  writer: ModuleWriter,
  port: Gate,
  writes: readonly Write[],
  { address, word, data }: { address: Signal; word: Signal; data: Signal },
): void {
  let value = word;
  for (const [at, write] of writes.entries()) {
    const isSame = writer.calculate(port, '$eq', [write.address, address], writer.temporary(1, port));
    const passes = writer.calculate(port, '$and', [isSame, write.enable], writer.temporary(1, port));
    const into = at === writes.length - 1 ? data : undefined;
    value = writer.choose(port, passes, [value, write.data], into);
  }
}

/** Initial bits of a memory, address 0 in the lowest bits; null when they are not constant. */
function initialBits(memory: Gate, writer: ModuleWriter): string | null {
  const net = memory.inputs[1] ?? null;
  const from = writer.drivers.get(net ?? -1);
  // The initial value may come through a signal.
  const bits = writer.constantBits(from?.kind === '$isignal' ? (from.inputs[1] ?? null) : net);
  if (bits === null) writer.refuse(memory, 'the initial value of a memory is not constant');
  return bits;
}

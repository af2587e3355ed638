import type { AddressUse } from '../match/candidate.ts';
import type { ElaboratedModule } from './rtlil.ts';
import { type Chunk, chunksOf } from './signals.ts';

/** The two lowest bits of a constant: `true` when both are zero or not compared. */
const isMultipleOfFour = (bits: string) =>
  /[0xzm-]?[0xzm-]$/.test(bits.slice(-2)) && !bits.slice(-2).includes('1');

/** Cells that compare their two inputs for being the same, and those that compare their order. */
const COMPARE = new Set(['$eq', '$ne', '$eqx', '$nex']);
/** Cells that read a memory or write it. */
const MEMORY_PORT = /^\$mem(?:rd|wr)(?:_v2)?$/;

const ORDER = new Set(['$lt', '$le', '$gt', '$ge']);

interface Cell {
  type: string;
  pins: Map<string, string>;
}

/** What of a module's body matters here, parsed once. */
interface Body {
  cells: Cell[];
  /** left := right, of connections and of assignments inside processes. */
  assignments: { left: string; right: string }[];
  /** What a case statement compares, and with what. */
  switches: { signal: string; constants: string[] }[];
}

function parseBody(lines: string[]): Body {
  const body: Body = { cells: [], assignments: [], switches: [] };
  const open: { indent: number; entry: Body['switches'][number] }[] = [];
  let cell: Cell | null = null;
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const [, word, rest = ''] = /^ *(\S+) ?(.*)$/.exec(line) ?? [];
    if (word === 'cell') {
      cell = { type: rest.split(' ')[0]!, pins: new Map() };
      body.cells.push(cell);
    } else if (word === 'connect') {
      const [left, right] = splitPair(rest);
      if (cell !== null && indent > 2) cell.pins.set(left, right);
      else body.assignments.push({ left, right });
    } else if (word === 'end' && indent === 2) cell = null;
    else if (word === 'assign' || word === 'update') {
      const [left, right] = splitPair(rest);
      body.assignments.push({ left, right });
    } else if (word === 'switch') {
      while (open.length > 0 && open.at(-1)!.indent >= indent) open.pop();
      const entry = { signal: rest, constants: [] as string[] };
      body.switches.push(entry);
      open.push({ indent, entry });
    } else if (word === 'case') {
      const owner = open.findLast((one) => one.indent < indent);
      if (owner && rest) owner.entry.constants.push(...rest.split(','));
    }
  }
  return body;
}

/** Splits `LEFT RIGHT`, either of which may be `{ … }` or a wire with slices. */
function splitPair(text: string): [string, string] {
  const match = /^(\{[^}]*\}(?: \[[\d:]+\])*|\S+(?: \[[\d:]+\])*) (.*)$/.exec(text);
  return match ? [match[1]!, match[2]!] : [text, ''];
}

const bodies = new WeakMap<ElaboratedModule, Body>();

/**
 * How a module uses the two lowest bits of an input: followed through copies, registers, shifts by a constant
 * and instances of other modules, until a memory, a comparison with constants or anything else.
 * @returns null when the body of the module is not at hand
 */
export function addressUse(
  module: ElaboratedModule,
  port: string,
  modules: ReadonlyMap<string, ElaboratedModule>,
): AddressUse | null {
  const use: AddressUse = { highBits: false, index: false, multiples: [], others: [], unclear: false };
  if (!follow(module, port, 0, modules, use, 0)) return null;
  return use;
}

/** @param offset bit 0 of the port is this bit of the address */
function follow(
  module: ElaboratedModule,
  port: string,
  offset: number,
  modules: ReadonlyMap<string, ElaboratedModule>,
  use: AddressUse,
  depth: number,
): boolean {
  if (module.body === null || depth > 8) return false;
  let body = bodies.get(module);
  if (!body) {
    body = parseBody(module.body);
    bodies.set(module, body);
  }
  const widthOf = (wire: string) => module.widths.get(wire) ?? 1;
  const todo: { wire: string; offset: number }[] = [{ wire: `\\${port}`, offset }];
  const seen = new Map<string, number>([[`\\${port}`, offset]]);
  const outputs = new Set(
    module.ports.filter(({ direction }) => direction !== 'input').map(({ name }) => `\\${name}`),
  );
  const alias = (wire: string, at: number) => {
    if (outputs.has(wire)) use.unclear = true; // what becomes of it is not seen from here
    const known = seen.get(wire);
    if (known === undefined && seen.size < 64) {
      seen.set(wire, at);
      todo.push({ wire, offset: at });
    } else if (known !== at) use.unclear = true;
  };

  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const tracked = next;
    /** Calls back for every mention of the tracked wire: which address bit its lowest bit is, and where it stands. */
    const mentions = (signal: string, found: (bit: number, at: number, chunks: Chunk[]) => void) => {
      if (!signal.includes(tracked.wire)) return;
      const chunks = chunksOf(signal, widthOf);
      for (const chunk of chunks) {
        if (chunk.wire !== tracked.wire) continue;
        const bit = tracked.offset + chunk.low;
        if (bit + chunk.width > 2) use.highBits = true;
        if (bit < 2) found(bit, chunk.at, chunks);
      }
    };
    const compare = (bit: number, at: number, constants: string[]) => {
      for (const constant of constants) {
        const other = chunksOf(constant.trim(), widthOf);
        if (other.length !== 1 || other[0]!.wire !== null || bit + at > 0) use.unclear = true;
        else (isMultipleOfFour(other[0]!.bits) ? use.multiples : use.others).push(other[0]!.bits);
      }
    };
    for (const { left, right } of body.assignments)
      mentions(right, (bit, at) => {
        if (/^\$\S*memwr\S*_ADDR\S*$/.test(left)) use.index = true;
        const target = chunksOf(left, widthOf);
        if (target.length !== 1 || target[0]!.wire === null) use.unclear = true;
        else alias(target[0]!.wire, bit - at - target[0]!.low);
      });
    for (const { signal, constants } of body.switches)
      mentions(signal, (bit, at) => compare(bit, at, constants));
    for (const { type, pins } of body.cells)
      for (const [pin, signal] of pins)
        mentions(signal, (bit, at) => {
          const output = pins.get('\\Y') ?? '';
          if (pin === '\\Y' || pin === '\\DATA') return; // an output
          if (MEMORY_PORT.test(type) && pin === '\\ADDR') use.index = true;
          else if (COMPARE.has(type)) compare(bit, at, [pins.get(pin === '\\A' ? '\\B' : '\\A') ?? '']);
          else if (ORDER.has(type))
            return; // a range says nothing about single bytes
          else if (type === '$shr' && pin === '\\A') {
            const by = chunksOf(pins.get('\\B') ?? '', widthOf)?.[0];
            if (by?.wire === null && /^[01]+$/.test(by.bits)) {
              alias(output, bit - at + Number.parseInt(by.bits, 2));
            } else use.unclear = true;
          } else if ((type === '$mux' || type === '$pmux' || type === '$pos') && pin !== '\\S')
            alias(output, bit - at);
          else if (type.startsWith('\\')) {
            const inner = modules.get(type.slice(1));
            const position = /^\$(\d+)$/.exec(pin)?.[1];
            const name = position ? inner?.ports[Number(position) - 1]?.name : pin.slice(1);
            if (!inner || name === undefined || !follow(inner, name, bit - at, modules, use, depth + 1))
              use.unclear = true;
          } else use.unclear = true;
        });
  }
  return true;
}

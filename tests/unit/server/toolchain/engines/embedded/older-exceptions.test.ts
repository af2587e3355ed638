import { expect, test } from 'vitest';
import { withOlderExceptions } from '../../../../../../resources/yosys/older-exceptions.mjs';

const section = (id: number, ...contents: number[]) => [id, contents.length, ...contents];
const I32 = 0x7f;
const EXNREF = 0x69;
const END = 0x0b;
const GET = [0x20, 0];
const THROW = [0x08, 0];
const THROW_REF = 0x0a;
const UNREACHABLE = 0x00;
const plus = (value: number) => [0x41, value, 0x6a];

/** Types of the module: 0 is that of the tag, 1 that of its functions, 2 has what `catch_ref` gives as its results. */
const TYPES = [...[0x60, 1, I32, 0], ...[0x60, 1, I32, 1, I32], ...[0x60, 0, 2, I32, EXNREF]];

/** `block … try_table (catch …) body end … end after`; the catch leads out of the block. */
const caught = (block: number, caughtAs: number[], body: number[], behind: number[]) => [
  ...[0x02, block, 0x1f, 0x40, 1, ...caughtAs, 0],
  ...[...body, END, UNREACHABLE, END, ...behind],
];

/** A module with one tag of a 32-bit number, whose functions `0`, `1` … take and give such a number. */
function moduleOf(...bodies: number[][]): Uint8Array {
  const code = bodies.map((body) => [0, ...body, END]);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 3, ...TYPES),
    ...section(3, bodies.length, ...bodies.map(() => 1)),
    ...section(13, 1, 0, 0),
    ...section(7, bodies.length, ...bodies.flatMap((_, at) => [1, 0x30 + at, 0, at])),
    ...section(10, bodies.length, ...code.flatMap((one) => [one.length, ...one])),
  ]);
}

function call(module: Uint8Array, name: string, value: number): unknown {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(withOlderExceptions(module)), {});
  const exported = instance.exports[name];
  return typeof exported === 'function' ? exported(value) : expect.unreachable();
}

test('a thrown exception is caught with its number, after the block', () => {
  const module = moduleOf(caught(I32, [0, 0], [...GET, ...THROW], plus(5)));
  expect(call(module, '0', 37)).toBe(42);
});

test('a block without a throw catches nothing', () => {
  const module = moduleOf([...caught(0x40, [2], [...GET, 0x0f], []), ...GET]);
  expect(call(module, '0', 7)).toBe(7);
});

test('a catch-all block catches without the number', () => {
  const module = moduleOf([...caught(0x40, [2], [...GET, ...THROW], []), ...GET, ...plus(1)]);
  expect(call(module, '0', 7)).toBe(8);
});

test('an exception caught as a reference is rethrown across functions', () => {
  const again = caught(EXNREF, [3], [...GET, ...plus(1), ...THROW], [THROW_REF]);
  const outer = caught(I32, [0, 0], [...GET, 0x10, 0, 0x1a], plus(10));
  expect(call(moduleOf(again, outer), '1', 1)).toBe(12);
});

test('a number and its reference are both available', () => {
  const both = caught(2, [1, 0], [...GET, ...THROW], [0x21, 0, 0x1a, ...GET]);
  expect(call(moduleOf(both), '0', 9)).toBe(9);
});

test('rejects an unknown instruction', () => {
  expect(() => withOlderExceptions(moduleOf([...GET, 0xfb, 0]))).toThrow(/instruction 0xfb/);
});

test('custom sections such as names and debugging information are left out', () => {
  const plain = moduleOf([...GET, ...plus(1)]);
  const named = Uint8Array.from([...plain, ...section(0, 5, ...Buffer.from('notes'), 1)]);
  expect(Buffer.from(withOlderExceptions(named))).toEqual(Buffer.from(withOlderExceptions(plain)));
  expect(call(named, '0', 7)).toBe(8);
});

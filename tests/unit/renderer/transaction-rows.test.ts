import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asCurl, asPython } from '../../../renderer/src/screens/node/registers/transactions/as-program.ts';
import { isBuild, withBuilds } from '../../../renderer/src/screens/node/registers/transactions/rows.ts';
import type { Transaction } from '../../../renderer/src/state/registers/transactions.ts';

const at = (time: number): Transaction => ({
  ...{ id: time, at: time, request: { op: 2, address: 0 }, count: 1, state: 'ok', data: [0] },
});
const build = (time: number, file: string) => ({ at: time, file, buildId: file.repeat(4) });
const shown = (list: readonly Transaction[], builds: Parameters<typeof withBuilds>[1]) =>
  withBuilds(list, builds).map((row) => (isBuild(row) ? row.file : row.at));

test('a divider names each build before its first transaction, and is omitted for a single build', () => {
  expect(shown([at(1), at(2)], [build(0, 'a.v')])).toEqual([1, 2]);
  expect(shown([at(1), at(2), at(5)], [build(0, 'a.v'), build(3, 'b.v')])).toEqual(['a.v', 1, 2, 'b.v', 5]);
  // The last build is named before its first transaction; one that had none is passed over.
  expect(shown([at(1)], [build(0, 'a.v'), build(3, 'b.v'), build(4, 'c.v')])).toEqual(['a.v', 1, 'c.v']);
});

test('dividers preserve the order of transactions and are sorted by time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 100 })),
      fc.array(fc.integer({ min: 1, max: 100 })),
      (times, begins) => {
        const list = times.sort((a, b) => a - b).map(at);
        const builds = [build(0, 'x'), ...begins.sort((a, b) => a - b).map((time) => build(time, 'x'))];
        const rows = withBuilds(list, builds);
        expect(rows.filter((row) => !isBuild(row))).toEqual(list);
        expect(rows.map((row) => row.at)).toEqual(rows.map((row) => row.at).sort((a, b) => a - b));
      },
    ),
  );
});

test('a transaction is exported as a curl command and a Python program', () => {
  const caller = { url: 'http://lab:8000', node: 3, name: 'anonymous' };
  expect(asCurl(caller, { op: 2, address: 16, count: 3 })).toBe(
    `curl -sS -H 'Content-Type: application/json' -d '{"op":2,"address":16,"count":3}' 'http://lab:8000/fpga/3/run?wait=5'`,
  );
  expect(asCurl({ ...caller, name: undefined }, { op: 1, address: 0, data: [5], fixed_address: true })).toBe(
    `curl -sS -H 'Content-Type: application/json' -H "X-API-Key: $WISHBENCH_KEY" -d '{"op":1,"address":0,"data":[5],"fixed_address":true}' 'http://lab:8000/fpga/3/run?wait=5'`,
  );
  expect(asPython({ ...caller, name: 'anna' }, { op: 1, address: 16, data: [0xcafef00d] })).toBe(
    'import wishbench\n\nnode = wishbench.Bench("http://lab:8000", key="anna").node(3)\nnode.write(0x10, 0xCAFEF00D)\n',
  );
  expect(asPython(caller, { op: 2, address: 16, count: 2 })).toContain('print(node.read(0x10, 2))');
});

test('a name with quotation marks stays one shell word', () => {
  const command = asCurl({ url: 'http://lab', node: 0, name: "O'Neil $x" }, { op: 2, address: 0, count: 1 });
  expect(command).toContain(` -H 'X-API-Key: O'\\''Neil $x' `);
});

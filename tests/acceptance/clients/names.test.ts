import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Bench, type BenchNode, RegisterNameError } from '../../../resources/clients/typescript/index.ts';
import { createCommandLine } from '../../../server/cli/program.ts';
import { assignmentsOf, placeOf } from '../../../server/contract/client/register-names.ts';
import type { RegisterMap } from '../../../server/contract/designs/register-map.ts';
import { TestBench } from '../../support/api/test-bench.ts';
import { runPython } from '../../support/clients/python.ts';

const MAP: RegisterMap = {
  name: 'regs',
  registers: [
    {
      name: 'CTRL',
      address: 0x10,
      access: 'rw',
      fields: [
        { name: 'MODE', msb: 3, lsb: 1 },
        { name: 'EN', msb: 0, lsb: 0, values: { '0': 'stop', '1': 'run' } },
      ],
    },
    { name: 'START', address: 0x14, access: 'wo', width: 8, fields: [{ name: 'GO', msb: 7, lsb: 7 }] },
    { name: 'STATUS', address: 0x18, access: 'ro', fields: [{ name: 'TOP', msb: 31, lsb: 31 }] },
    { name: 'TABLE', address: 0x20, words: 2, access: 'rw', fields: [] },
  ],
};

let bench: TestBench;
let node: BenchNode;
let lab: Bench;

beforeAll(async () => {
  bench = await TestBench.start();
  lab = new Bench({ url: bench.url, key: 'lab-1', WebSocket });
  node = await lab.program({ name: 'regs.v', contents: 'module regs; endmodule\n' }, { node: 0 });
  await lab.client.putDesignMap({ design_id: node.job.design_id ?? '', body: MAP });
  await node.write(0x10, 0xf0);
});
afterAll(async () => {
  await node.release();
  await bench.stop();
});

test('resolves register, field and value names; errors for unknown names list the known ones', () => {
  expect(placeOf(MAP, 'ctrl.en')).toMatchObject({ register: { name: 'CTRL' }, field: { name: 'EN' } });
  expect(
    assignmentsOf(MAP, [
      ['CTRL.EN', 'Run'],
      ['CTRL.MODE', 5],
      ['TABLE', '0xFFFF_FFFF'],
    ]),
  ).toEqual([
    { address: 0x10, name: 'CTRL', mask: 0xf, value: 0xb, readable: true },
    { address: 0x20, name: 'TABLE', mask: 0xffff_ffff, value: 0xffff_ffff, readable: true },
  ]);
  expect(placeOf(MAP, 'table[1]')).toEqual({
    register: { name: 'TABLE[1]', address: 0x24, access: 'rw', fields: [] },
    field: undefined,
  });
  for (const [name, value, message] of [
    ['TABLE[2]', 1, 'no register TABLE[2]'],
    ['CTRL[0]', 1, 'no register CTRL[0]'],
    ['CTLR', 1, 'no register CTLR; it has CTRL, START, STATUS, TABLE'],
    ['CTRL.X', 1, 'no field X; it has MODE, EN'],
    ['CTRL.EN', 'walk', '1 bit and the values stop, run; walk does not fit'],
    ['CTRL.MODE', 8, '3 bits; 8 does not fit'],
    ['START', 256, '8 bits; 256'],
    ['STATUS', 1, 'STATUS is read-only'],
  ] as const)
    expect(() => assignmentsOf(MAP, [[name, value]])).toThrow(message);
});

test('TypeScript: get and set; the other bits stay', async () => {
  await node.set('CTRL.EN', 'run');
  expect(await node.read(0x10)).toBe(0xf1);
  await node.set({ 'CTRL.MODE': 5, 'CTRL.EN': 0, TABLE: 7 });
  expect([await node.get('CTRL'), await node.get('CTRL.MODE'), await node.read(0x20)]).toEqual([0xfa, 5, 7]);
  await node.set('START.GO', 1);
  expect(await node.read(0x14)).toBe(0x80);
  await expect(node.set({ TABLE: 9, NOTHING: 1 })).rejects.toThrow(RegisterNameError);
  expect(await node.get('TABLE')).toBe(7);
});

test('the command takes names', async () => {
  const said: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const run = (...args: string[]) =>
    createCommandLine('0').run([...args, '--url', bench.url, '--key', 'lab-1']);
  try {
    expect(await run('write', '0', 'CTRL.EN=run', 'CTRL.MODE=2')).toBe(0);
    expect(await run('write', '0', 'TABLE', '3')).toBe(0);
    for (const name of ['CTRL', 'CTRL.EN', 'TABLE']) expect(await run('read', '0', name)).toBe(0);
    expect(said.join('')).toBe('0x000000F5\n0x00000001 run\n0x00000003\n0x00000000\n');
    said.length = 0;
    expect(await run('write', '0', 'TABLE[1]=9')).toBe(0);
    expect(await run('read', '0', 'TABLE[1]')).toBe(0);
    expect(said.join('')).toBe('0x00000009\n');
    await expect(run('read', '0', 'NOTHING')).rejects.toThrow('no register NOTHING');
    await expect(run('write', '0', '0x10')).rejects.toThrow('WORD is missing');
  } finally {
    write.mockRestore();
  }
});

test('the command proposes, accepts, exports, removes and imports maps', async () => {
  const said: string[] = [];
  const write = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => said.push(Buffer.from(text).toString('utf8')) > 0);
  const tell = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const run = (...args: string[]) =>
    createCommandLine('0').run([...args, '--url', bench.url, '--key', 'lab-3']);
  const other = new Bench({ url: bench.url, key: 'lab-3', WebSocket });
  const contents = '// 0x00 A rw first\n// 0x04 B ro\nmodule c; endmodule\n';
  await using held = await other.program({ name: 'c.v', contents }, { node: 2 });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-maps-'));
  try {
    expect(await run('map', 'propose', '2')).toBe(0);
    expect(said.join('')).toContain('proposed (c.v:1)');
    expect(await run('map', 'propose', '2', '--accept')).toBe(0);
    expect((await held.map()).registers.map(({ name, proposed }) => [name, proposed])).toEqual([
      ['A', undefined],
      ['B', undefined],
    ]);
    const file = path.join(folder, 'c.svd');
    expect(await run('map', 'export', '2', '--as', 'svd', '-o', file)).toBe(0);
    expect(await run('map', 'remove', held.job.design_id ?? '')).toBe(0);
    await expect(run('map', 'show', '2')).rejects.toThrow('no register map');
    expect(await run('map', 'import', '2', file)).toBe(0);
    said.length = 0;
    expect(await run('map', 'show', '2')).toBe(0);
    expect(said.join('')).toMatch(/^0x0000 +A +rw +first *\n0x0004 +B +ro/);
    const text = readFileSync(file, 'utf8').replace(
      '<addressOffset>',
      '<readAction>set</readAction>\n<addressOffset>',
    );
    writeFileSync(file, text);
    expect(await run('map', 'import', '2', file)).toBe(0);
    expect(tell.mock.calls.map(([line]) => String(line)).at(-1)).toMatch(
      /^Not read: line \d+: c\.A: readAction is not in the map: .*; write the whole word\n$/,
    );
  } finally {
    write.mockRestore();
    tell.mockRestore();
    rmSync(folder, { recursive: true });
  }
});

test('Python: attributes', async () => {
  const { code, stdout, stderr } = await runPython(
    `import wishbench
lab = wishbench.Bench(key="lab-1")
node = lab.node(0)
r = node.registers
r.CTRL = 0xF0
r.CTRL.EN = "run"
r.ctrl.MODE = 3
print(hex(r.CTRL), r.CTRL.EN, r["CTRL"]["MODE"], int(r.TABLE), list(r))
r["table[1]"] = 0x77
print(hex(r["TABLE[1]"]), hex(node.read(0x24)), repr(r["TABLE[1]"]))
r.START.GO = 1
print(hex(node.read(0x14)), r.STATUS.TOP)
for wrong in ("r.CTRL.EN = 'walk'", "r.CTRL.MODE = 8", "r.STATUS = 1", "r.NOTHING = 1", "r.CTRL.X", "getattr(r, 'TABLE[2]')"):
    try:
        exec(wrong)
    except (ValueError, AttributeError) as error:
        print(error)
print(len(node.transactions(3)), node.activity()[0]["kind"], node.run_script({"steps": [{"op": "write", "address": 0, "data": [1]}]})["passed"])
print(node.recorded_script()["steps"][0]["op"])
bench = wishbench.Bench(key="lab-2")
print(bench.request_control(0, "please")["note"], bench.withdraw_control_request(0))
bench.request_control(0)
lab.decline_control_request(0, "lab-2")
print(node.activity()[0]["kind"], node.extend()["owner"])
found = lab.designs()
print(found[0]["name"], lab.design(found[0]["design_id"])["documents"])
node._drop_stream()
bench.close()
lab.close()
`,
    { url: bench.url },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual([
    "0xf7 run 3 3 ['CTRL', 'START', 'STATUS', 'TABLE']",
    '0x77 0x77 <Register TABLE[1] at 0x24>',
    '0x80 0',
    "CTRL.EN must be 0 to 1 or one of stop, run, not 'walk'.",
    'CTRL.MODE must be 0 to 7, not 8.',
    'STATUS is read only.',
    'The map has no register NOTHING; it has CTRL, START, STATUS, TABLE.',
    'The register CTRL has no field X; it has MODE, EN.',
    'The map has no register TABLE[2]; it has CTRL, START, STATUS, TABLE.',
    '3 taken 1',
    'write',
    'please None',
    'declined lab-1',
    "regs.v ['map']",
    '',
  ]);
});

test('TypeScript: colleagues, designs, scripts', async () => {
  const other = new Bench({ url: bench.url, key: 'lab-2', WebSocket });
  expect(await other.requestControl(0, 'may I?')).toMatchObject({ owner: 'lab-2', note: 'may I?' });
  await other.withdrawControlRequest(0);
  await other.requestControl(0);
  await lab.declineControlRequest(0, 'lab-2');
  expect((await node.activity())[0]).toMatchObject({ kind: 'declined', by: 'lab-1', to: 'lab-2' });
  expect(await node.extend()).toMatchObject({ owner: 'lab-1' });
  const [design] = await lab.designs();
  expect(design).toMatchObject({ name: 'regs.v', owner: 'lab-1' });
  expect((await lab.design(design?.design_id ?? '')).versions).toHaveLength(1);
  expect((await node.activity()).at(-1)).toMatchObject({ kind: 'taken', owner: 'lab-1' });
  const seen = new Promise<unknown>((resolve) => {
    void node
      .view((message) => message.type === 'transactions' && resolve(message))
      .then(() => node.write(0x40, [1, 2]));
  });
  expect(await seen).toMatchObject({ type: 'transactions' });
  expect((await node.transactions(1))[0]).toMatchObject({ address: 0x40 });
  const script = { steps: [{ op: 'read' as const, address: 0x40, expect: [1] }] };
  expect(await node.runScript(script)).toMatchObject({ passed: 1, failed: 0 });
  expect((await node.recordedScript()).steps.length).toBeGreaterThan(0);
  const handed = await lab.program({ name: 'b.v', contents: 'module b; endmodule\n' }, { node: 1 });
  expect(await handed.handOver('lab-2')).toMatchObject({ owner: 'lab-2' });
  // The text has nothing of this program.
  await handed.release();
  expect((await other.nodes())[1]).toMatchObject({ state: 'reserved' });
});

import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { table, WHOLE } from '../../../../server/cli/table.ts';
import { completed } from '../../../../server/contract/client/work.ts';
import { hasScript, Terminal } from '../../../support/api/cli-terminal.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';

const ROWS = [
  ['0e8b8f4c', 'server/cli/table.ts:12', '12.5 MHz', 'a long sentence about it'],
  ['5f0c', 'table.ts:7', '8 MHz', ''],
];
const GIVING = [
  { column: 3, least: 8 },
  { column: 2, least: WHOLE },
  { column: 1, least: 8, keep: 'end' as const },
];

describe('columns', () => {
  test('are whole where the width suffices or is unknown', () => {
    const whole =
      '0e8b8f4c  server/cli/table.ts:12  12.5 MHz  a long sentence about it\n5f0c      table.ts:7              8 MHz\n';
    expect([table(ROWS, GIVING, undefined), table(ROWS, GIVING, 68)]).toEqual([whole, whole]);
  });

  test('are truncated in order, then dropped in order; the id never is', () => {
    const first = (room: number) => table(ROWS, GIVING, room).split('\n')[0];
    expect(first(60)).toBe('0e8b8f4c  server/cli/table.ts:12  12.5 MHz  a long sentence…');
    expect(first(50)).toBe('0e8b8f4c  …ver/cli/table.ts:12  12.5 MHz  a long…');
    expect(first(30)).toBe('0e8b8f4c  …ble.ts:12  12.5 MHz');
    expect(first(20)).toBe('0e8b8f4c  …ble.ts:12');
    expect(first(5)).toBe('0e8b8f4c');
    for (let room = 8; room < 80; room++)
      for (const line of table(ROWS, GIVING, room).split('\n')) expect(line.length).toBeLessThanOrEqual(room);
  });

  test('count places, not code units', () => {
    const rows = [
      ['設計設計設計', 'x'],
      ['e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301', 'y'],
    ];
    expect(table(rows, [{ column: 0, least: 3 }], 8)).toBe('設計…  x\ne\u0301e\u0301e\u0301e\u0301…  y\n');
  });

  test('a row with fewer cells ends in text that may use the remaining width', () => {
    const rows = [
      ['b', '0', 'idle', '-', 'virtual-hx8k', 'echo'],
      ['c', '-', 'dead', 'Nothing listens there. Start it.'],
    ];
    expect(table(rows, [], 44)).toBe(
      'b  0  idle  -  virtual-hx8k  echo\nc  -  dead  Nothing listens there. Start it.\n',
    );
    expect(table(rows, [], 36)).toContain('c  -  dead  Nothing listens there.…\n');
  });
});

describe('on a terminal', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-table-'));
  const owner = 'grace.hopper@lab.example';
  const environment: Record<string, string> = {
    XDG_CONFIG_HOME: folder,
    APPDATA: folder,
    WISHBENCH_KEY: owner,
    WISHBENCH_OPERATOR_TOKEN: 'of the operator',
  };
  let bench: TestBench;
  let ids: string[];
  beforeAll(async () => {
    bench = await TestBench.start({ operatorToken: 'of the operator' });
    environment['WISHBENCH_URL'] = bench.url;
    const client = bench.client({ 'x-api-key': owner });
    const submit = async (fpga_id: number) => {
      const file = { name: `a-design-with-quite-a-long-name-${fpga_id}.v`, contents: SOURCE };
      return await completed(client, await client.submitDesign({ fpga_id, body: { file } }));
    };
    ids = (await Promise.all([0, 1].map(submit))).map(({ job_id }) => job_id);
    const operator = bench.client({ 'x-operator-token': 'of the operator' });
    await operator.mintKey({ body: { owner, label: 'for what runs at night on the machine in the cellar' } });
    const known = [{ name: 'hall-b', address: 'http://a-long-name-of-a-host.in-the-lab.invalid:8000' }];
    await bench.bench.settings.apply({ benches: { known } });
    // What its problem is takes a look-up of that name.
    while (!(await client.listBenches())[1]?.problem) await new Promise((resolve) => setTimeout(resolve, 10));
  });
  afterAll(async () => {
    await bench.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(['jobs --all', 'nodes', 'nodes --all', 'benches --all', 'keys', 'audit', 'designs', 'builds'])(
    '%s: no line exceeds the terminal width; elsewhere nothing is truncated',
    async (command) => {
      const words = command.split(' ');
      const on = async (columns: number) => {
        const { code, stdout } = await runCli(words, environment, '', columns);
        expect(code).toBe(0);
        return stdout.split('\n');
      };
      const piped = await runCli(words, environment);
      expect(piped.code).toBe(0);
      const whole = piped.stdout.split('\n');
      expect(Math.max(...whole.map((line) => line.length))).toBeGreaterThan(50);
      expect(piped.stdout).not.toContain('…');
      for (const columns of [80, 60]) {
        const lines = await on(columns);
        expect(lines.filter((line) => line.length > columns)).toEqual([]);
        expect(lines.length).toBe(whole.length);
        if (words[0] === 'jobs') for (const id of ids) expect(lines.join('\n')).toContain(id);
      }
      // A sentence at the end of a short row widens no column of a terminal.
      const cells = (lines: string[]) => lines.map((line) => line.split(/ {2,}/));
      expect(cells(await on(400))).toEqual(cells(whole));
    },
  );

  test.runIf(hasScript)('the width is that of the terminal, if it has one', async () => {
    const words = ['keys'];
    const whole = (await runCli(words, environment)).stdout;
    for (const columns of [60, undefined]) {
      const terminal = new Terminal(environment, words, columns);
      expect(await terminal.ended).toBe(0);
      const narrow = columns === undefined ? whole : (await runCli(words, environment, '', columns)).stdout;
      expect(terminal.screen.replaceAll('\r', '')).toBe(narrow);
    }
  });
});

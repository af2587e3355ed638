import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { transformSync } from '@swc/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Script, ScriptExport } from '../../../../server/contract/jobs/scripts.ts';
import { appRoot, distPath, resourcePath } from '../../../../server/paths.ts';
import { exportScript } from '../../../../server/scripts/export.ts';
import { junitOf } from '../../../../server/scripts/junit.ts';
import { runScript } from '../../../../server/scripts/run-script.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { FAKE_HOLE } from '../../../support/fake-board.ts';
import { MemoryBus, PassingClock } from '../../../support/scripts/memory-bus.ts';

/** Exported scripts as their users run them: unchanged, with bash and curl, Python and Node, against a service. */

const GOOD: Script = {
  says: 'Everything that a script can do.',
  steps: [
    { op: 'comment', says: 'It begins.' },
    { op: 'write', says: 'Write three words', address: 0, data: [1, 0xdead_beef, 0xffff_ffff] },
    {
      op: 'read',
      says: 'Read them',
      address: 0,
      expect: [1, 0xdead_beef, { mask: 0xf000_0000, value: 0xf000_0000 }],
    },
    {
      op: 'read',
      says: 'Keep one',
      address: 0,
      expect: [null, { save_as: 'class' }, { min: 5, max: 0xffff_ffff }],
    },
    { op: 'write', says: 'Write it elsewhere', address: 32, data: [{ saved: 'class' }] },
    { op: 'read', says: 'It is there', address: 32, expect: [{ saved: 'class' }] },
    { op: 'write', says: 'One address', address: 64, data: [1, 2, 3], fixed_address: true },
    { op: 'read', says: 'The last is left', address: 64, count: 2, fixed_address: true, expect: [3, 3] },
    { op: 'wait', says: 'It is so', address: 64, mask: 2, value: 2, timeout_ms: 200, every_ms: 5 },
    { op: 'delay', ms: 5 },
    {
      op: 'repeat',
      says: 'Twice',
      times: 2,
      steps: [{ op: 'repeat', times: 2, steps: [{ op: 'read', says: 'Again', address: 64, expect: [3] }] }],
    },
    { op: 'read', says: 'Nothing answers there', address: FAKE_HOLE, fails: true },
  ],
};
const LINES = 13;
const BAD: Script = {
  stop_on_failure: true,
  steps: [
    { op: 'read', says: 'This is not so', address: 0, expect: [1234] },
    { op: 'write', says: 'Nothing follows', address: 0, data: [1] },
  ],
};
const HOSTILE = [
  `it's "quoted" \\ \${HOME} $(touch /tmp/never) \`id\` %s`,
  '*/ --> <!-- ]]> """ \'\'\' # // ; & | > < !',
  '名前 🙂 \u202e é',
  '-n',
];

let bench: TestBench;
const project = mkdtempSync(path.join(os.tmpdir(), 'wishbench-scripts-'));
beforeAll(async () => {
  bench = await TestBench.start();
  mkdirSync(path.join(project, 'node_modules', '@types'), { recursive: true });
  // Copies: not everybody may make a link on Windows.
  cpSync(distPath('client'), path.join(project, 'node_modules', 'wishbench-client'), { recursive: true });
  for (const name of ['@types/node', 'undici-types'])
    cpSync(path.join(appRoot, 'node_modules', name), path.join(project, 'node_modules', name), {
      recursive: true,
    });
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  writeFileSync(path.join(project, 'design.v'), '// a design\nmodule echo;\nendmodule\n');
});
afterAll(async () => {
  await bench.stop();
  rmSync(project, { recursive: true, force: true });
});

interface Ended {
  status: number | null;
  out: string;
}

/** Runs a program next to the service, which is in this process. */
const start = (program: string, args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: project,
      env: {
        ...process.env,
        WISHBENCH_URL: bench.url,
        WISHBENCH_KEY: 'ci',
        PYTHONPATH: resourcePath('clients', 'python'),
        ...env,
      },
    });
    let out = '';
    child.stdout.on('data', (text) => {
      out += String(text);
    });
    child.stderr.on('data', (text) => {
      out += String(text);
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, out }));
  });

const tsc = path.join(
  path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
);

/** Writes the program, and returns how to run it. */
async function prepared(script: Script, format: ScriptExport, name: string): Promise<[string, string[]]> {
  const text = exportScript(script, format, 'design.v');
  if (format === 'curl') {
    writeFileSync(path.join(project, `${name}.sh`), text);
    return ['bash', [`${name}.sh`]];
  }
  if (format === 'py') {
    writeFileSync(path.join(project, `${name}.py`), text);
    return ['python3', [`${name}.py`]];
  }
  // One of them with the strictest checks of a project; the others without types.
  if (name === 'good') {
    writeFileSync(path.join(project, `${name}.ts`), text);
    const options = [
      '--strict',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const compiled = await start(process.execPath, [tsc, ...options, `${name}.ts`]);
    expect(compiled.out).toBe('');
  } else {
    const { code } = transformSync(text, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } });
    writeFileSync(path.join(project, `${name}.js`), code);
  }
  return [process.execPath, [`${name}.js`]];
}

// Windows has neither bash nor python3 as commands.
const onUnix = process.platform !== 'win32';
const FORMATS: readonly ScriptExport[] = onUnix ? ['curl', 'py', 'ts'] : ['ts'];
describe.each(FORMATS)('%s', (format) => {
  test('programs the design, runs every step, releases the node and ends with 0', async () => {
    const [program, args] = await prepared(GOOD, format, 'good');
    const { status, out } = await start(program, args);
    expect(out.split('\n').filter((line) => line.startsWith('ok '))).toHaveLength(LINES);
    expect(out).not.toContain('FAIL');
    expect(out).toContain('It begins.');
    expect(status, out).toBe(0);
    // The program requests that and does not wait.
    const states = async () => (await bench.client().listNodes()).map(({ state }) => state);
    await expect.poll(states).not.toContain('reserved');
  });

  test('ends with 1 where a step fails, and stops there if the script requires it', async () => {
    const [program, args] = await prepared(BAD, format, 'bad');
    const { status, out } = await start(program, args);
    expect(out).toMatch(/^FAIL This is not so: word 0 is \w+/m);
    expect(out).not.toContain('Nothing follows');
    expect(status, out).toBe(1);
  });

  test('text that means something to a shell or a compiler is text', async () => {
    const steps = HOSTILE.flatMap((says) => [
      { op: 'comment' as const, says },
      { op: 'read' as const, says, address: 0, expect: [null] },
    ]);
    const script: Script = {
      says: HOSTILE[1] ?? '',
      steps: [...steps, { op: 'repeat', says: HOSTILE[0] ?? '', times: 1, steps }],
    };
    const [program, args] = await prepared(script, format, 'hostile');
    const { status, out } = await start(program, args);
    expect(status, out).toBe(0);
    for (const says of HOSTILE) {
      expect(out.split('\n').filter((line) => line === says)).toHaveLength(2);
      expect(
        out.split('\n').filter((line) => line.endsWith(` ${says}`) && line.startsWith('ok')),
      ).toHaveLength(2);
    }
  });

  test('the empty script is a program, too', async () => {
    const [program, args] = await prepared({ steps: [] }, format, 'empty');
    const { status, out } = await start(program, args);
    expect([status, out]).toEqual([0, '']);
  });
});

test.each(FORMATS.map((format, at) => [format, 3 + at] as const))(
  '%s runs on the given node',
  async (format, node) => {
    await bench.reserve(node, { 'x-api-key': 'ci' });
    const [program, args] = await prepared(GOOD, format, 'own');
    const { status, out } = await start(program, args, { WISHBENCH_NODE: String(node) });
    expect(status, out).toBe(0);
    expect((await bench.node(node)).state).toBe('reserved');
  },
);

test.runIf(onUnix)('a report is valid JUnit XML, whatever text its steps contain', async () => {
  const says = [...HOSTILE, 'a & b < c "d"'];
  const script: Script = {
    steps: says.map((one) => ({ op: 'read', says: one, address: 0, expect: [1] })),
    limit_ms: 1000,
  };
  const { signal } = new AbortController();
  const report = await runScript(script, new MemoryBus().bus, { clock: new PassingClock(), signal });
  const file = path.join(project, 'report.xml');
  writeFileSync(file, junitOf({ ...report, stopped: { code: 'x', message: '<&>' } }, 'a"<b>.v'));
  const program = [
    'import json, sys, xml.etree.ElementTree as tree',
    'suite = tree.parse(sys.argv[1]).getroot()[0]',
    'print(json.dumps([suite.attrib["name"], suite.attrib["failures"], [[c.attrib["name"], [x.tag for x in c]] for c in suite]]))',
  ];
  const { stdout } = spawnSync('python3', ['-c', program.join('\n'), file], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual([
    'a"<b>.v',
    String(says.length),
    [...says.map((one, at) => [`${at + 1} ${one}`, ['failure']]), ['the whole script', ['error']]],
  ]);
});

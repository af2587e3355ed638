import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../../../server/contract/client/client.ts';
import { appRoot, distPath, resourcePath } from '../../../../server/paths.ts';
import { ServiceInProcess } from '../../../support/api/service-in-process.ts';
import {
  borrowBrowser,
  E2E_TIMEOUT,
  hasChromium,
  openPage,
  returnBrowser,
} from '../../../support/browser/browser.ts';

/** The packed client in a project of its own: installed without a network, type-checked strictly, run against a service. */

const project = mkdtempSync(path.join(os.tmpdir(), 'wishbench-client-'));
let service: ServiceInProcess;
let url = '';

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const run = (program: string, args: string[], cwd: string) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  expect(status, `${stdout}${stderr}`).toBe(0);
  return stdout;
};

const SCRIPT = `import { Bench } from 'wishbench-client';

await using node = await new Bench().program('echo.v');
await node.write(0x10, [1, 2, 3]);
console.log(await node.read(0x10, 3), await node.poll(0x18, 3));
`;

/** Its ports are those of a slave: however long the computer takes to read it, its one error is the second line. */
const BROKEN =
  JSON.stringify(`module broken(input clk, wb_cyc, wb_stb, wb_we, input [7:0] wb_adr, input [31:0] wb_dat_w,\
 output [31:0] wb_dat_r, output wb_ack);
  assign = ;
endmodule
`);

const ERRORS = `import { Bench, type BuildReport, JobFailedError, PollTimeoutError, ServiceError } from 'wishbench-client';

const bench = new Bench({ key: 'typed' });
try {
  await bench.program({ name: 'broken.v', contents: ${BROKEN} }, { node: 4 });
} catch (error) {
  if (!(error instanceof JobFailedError)) throw error;
  console.log(error.code, error.logTail.join('|'));
}
{
  await using node = await bench.program('echo.v', { node: 5, addressing: 'word' });
  const report: BuildReport = await bench.client.getBuildReport(node.job);
  const fmax: number | null = report.timing.fmax_mhz;
  console.log(fmax !== null && fmax > 12);
  await node.write(0, 7);
  const word: number = await node.read(0);
  console.log(word, (await node.log()).includes('synthesis'));
  try {
    await node.poll(0, 8, { timeout: 0.1 });
  } catch (error) {
    if (error instanceof PollTimeoutError) console.log(error.code, error.last);
  }
  try {
    await node.read(2);
  } catch (error) {
    if (error instanceof ServiceError) console.log(error.status, error.fields[0]?.loc.join('.'));
  }
}
console.log((await bench.nodes())[5]?.state);
// @ts-expect-error an address is a number
const wrong = async () => (await bench.program('echo.v')).read('0x10');
`;

/** Holds a node until it is ended from outside. */
const HOLDS = `import { Bench } from 'wishbench-client';
const node = await new Bench({ key: 'holder' }).program('echo.v', { node: Number(process.argv[2]) });
console.log('held', node.fpgaId);
if (process.argv[3] === 'throw') throw new Error('on purpose');
setInterval(() => {}, 1000);
`;

/** Uses the stream over a WebSocket, and continues after a restart of the service. */
const RECONNECTS = `import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { Bench } from 'wishbench-client';
const node = await new Bench({ key: 'restarted', WebSocket }).program('echo.v', { node: 8 });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await node.write(0x10, [1, 2, 3]);
console.log(await node.read(0x10, 3));
await lines.next();
await node.read(0x10).catch((error) => console.log(error.name));
console.log('away');
await lines.next();
await node.write(0x10, [4, 5]);
console.log(await node.read(0x10, 2));
await node.release();
process.exit();
`;

beforeAll(async () => {
  service = await ServiceInProcess.start(['echo.v']);
  url = service.url;
  const packed = run(npm, ['pack', distPath('client'), '--pack-destination', project], project).trim();
  writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({ name: 'a-lab', private: true, type: 'module' }),
  );
  run(npm, ['install', '--offline', '--no-audit', '--no-fund', `./${packed.split('\n').at(-1)}`], project);
  // Type packages of any project with Node, or with WebSockets in a Node without them.
  for (const name of ['@types/node', 'undici-types', 'ws'])
    cpSync(path.join(appRoot, 'node_modules', name), path.join(project, 'node_modules', name), {
      recursive: true,
    });
  cpSync(resourcePath('examples', 'echo.v'), path.join(project, 'echo.v'));
  writeFileSync(path.join(project, 'lab.ts'), SCRIPT);
  writeFileSync(path.join(project, 'errors.ts'), ERRORS);
  writeFileSync(path.join(project, 'holds.mjs'), HOLDS);
  writeFileSync(path.join(project, 'reconnects.mjs'), RECONNECTS);
  writeFileSync(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        target: 'ES2022',
        lib: ['ES2022', 'ESNext.Disposable'],
        module: 'nodenext',
        types: ['node'],
        outDir: 'out',
        rootDir: '.',
      },
      include: ['*.ts'],
    }),
  );
  mkdirSync(path.join(project, 'out'));
  cpSync(path.join(project, 'echo.v'), path.join(project, 'out', 'echo.v'));
});

afterAll(async () => {
  await service.close();
  rmSync(project, { recursive: true, force: true });
});

const script = (file: string, ...args: string[]) =>
  spawn(process.execPath, [file, ...args], { cwd: project, env: { ...process.env, WISHBENCH_URL: url } });

async function output(child: ReturnType<typeof script>) {
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('close', (...ended) => resolve(ended)),
  );
  return { code, signal, text, errors };
}

const stateOf = async (fpga_id: number) => (await createClient({ base: url }).getNode({ fpga_id })).state;

test('needs no other package, type-checks strictly, and its example scripts work', async () => {
  expect(
    readdirSync(path.join(project, 'node_modules')).filter(
      (name) => !/^(\.|@types$|undici-types$|ws$)/.test(name),
    ),
  ).toEqual(['wishbench-client']);
  // Six lines are enough for a lab.
  expect(SCRIPT.trimEnd().split('\n').length).toBeLessThanOrEqual(6);
  run(process.execPath, [path.join(appRoot, 'node_modules/typescript/bin/tsc'), '-p', project], project);
  const lab = await output(script('out/lab.js'));
  expect(lab).toMatchObject({ code: 0, text: '[ 1, 2, 3 ] 3\n', errors: '' });

  const { code, text, errors } = await output(script('out/errors.js'));
  expect(errors).toBe('');
  const [failed, fmax, words, poll, refused, state] = text.split('\n');
  expect(failed).toMatch(/^\w+ .*broken\.v:2/);
  expect([fmax, words, poll, refused, state]).toEqual([
    'true',
    '7 true',
    'poll_timeout 7',
    '422 body.address',
    'idle',
  ]);
  expect(code).toBe(0);
});

test.each([
  ['Ctrl-C', 6, ''],
  ['an exception', 7, 'throw'],
] as const)('%s releases the node', async (_what, fpgaId, how) => {
  const child = script('holds.mjs', String(fpgaId), how);
  child.stdout.on('data', (text) => how === '' && String(text).startsWith('held') && child.kill('SIGINT'));
  const { code, signal, text } = await output(child);
  expect(text).toBe(`held ${fpgaId}\n`);
  expect([code, signal]).toEqual(how === '' ? [null, 'SIGINT'] : [1, null]);
  // The reset of a release may still run; the release has requested it.
  const [reset] = await createClient({ base: url }).listNodeJobs({ fpga_id: fpgaId, limit: 1 });
  expect(reset?.type).toBe('reset');
  await createClient({ base: url }).jobEnded({ fpga_id: fpgaId, job_id: reset?.job_id ?? '' });
  expect(await stateOf(fpgaId)).toBe('idle');
});

test('reopens its stream after a service restart, and still holds the node', async () => {
  const child = script('reconnects.mjs');
  let [text, errors, look] = ['', '', () => {}];
  child.stdout.on('data', (chunk) => {
    text += chunk;
    look();
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const said = (words: string) => {
    const seen = new Promise<void>((resolve) => {
      look = () => text.includes(words) && resolve();
      look();
    });
    const silent = ended.then(() => expect(text, errors).toContain(words));
    return Promise.race([seen, silent]);
  };
  await said('[ 1, 2, 3 ]');
  const client: Client = createClient({ base: url });
  const ways = async () =>
    (await client.listTransactions({ fpga_id: 8 })).transactions.map(({ via, op }) => `${op} ${via}`);
  expect(await ways()).toEqual(['read stream', 'write stream']);
  const { session_id } = await client.getSession({ fpga_id: 8 });
  await service.stop();
  child.stdin.write('\n');
  await said('UnreachableError\naway');
  await service.resume();
  expect((await client.getSession({ fpga_id: 8 })).session_id).toBe(session_id);
  child.stdin.write('\n');
  await said('[ 4, 5 ]');
  expect(await ways()).toEqual(['read stream', 'write stream']);
  expect(await ended).toBe(0);
  expect(await stateOf(8)).toBe('idle');
});

/** A page's use of the package: `Bench` without an address takes the page's own origin. */
const PAGE = `async ([at, design]) => {
  const { Bench, JobFailedError } = await import(at);
  const bench = new Bench({ key: 'a-page' });
  const node = await bench.program({ name: 'echo.v', contents: design }, { node: 9 });
  await node.write(0x10, [1, 2, 0xdeadbeef]);
  const words = await node.read(0x10, 3);
  setTimeout(() => node.write(0x20, 5), 50);
  const polled = await node.poll(0x20, 5);
  const { transactions } = await bench.client.listTransactions({ fpga_id: 9 });
  const failed = await bench
    .program({ name: 'broken.v', contents: ${BROKEN} })
    .catch((error) => (error instanceof JobFailedError ? error.logTail.join('|') : String(error)));
  await node.release();
  return { words, polled, ways: [...new Set(transactions.map(({ via }) => via))], owner: node.job.owner, failed };
}`;

test.runIf(hasChromium)(
  'a page served by the bench uses it to program a board, read, write and stream',
  async () => {
    const browser = await borrowBrowser();
    try {
      const { page, complaints } = await openPage(browser, url);
      // The installed package, from the page's own origin.
      const installed = path.join(project, 'node_modules', 'wishbench-client');
      await page.route('**/wishbench-client.js', (route) =>
        route.fulfill({ path: path.join(installed, 'index.js'), contentType: 'text/javascript' }),
      );
      const design = readFileSync(path.join(project, 'echo.v'), 'utf8');
      const at = `${url}/wishbench-client.js`;
      expect(await page.evaluate(`(${PAGE})(${JSON.stringify([at, design])})`)).toEqual({
        words: [1, 2, 0xdead_beef],
        polled: 5,
        ways: ['stream'],
        owner: 'a-page',
        failed: expect.stringContaining('broken.v:2'),
      });
      expect(complaints.list).toEqual([]);
    } finally {
      await returnBrowser(browser);
    }
    expect(await stateOf(9)).toBe('idle');
  },
  E2E_TIMEOUT,
);

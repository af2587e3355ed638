import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCommandLine } from '../../../../server/cli/program.ts';
import { createClient } from '../../../../server/contract/client/client.ts';
import type { DesignSummary } from '../../../../server/contract/designs/designs.ts';
import { distPath, resourcePath } from '../../../../server/paths.ts';
import { afterSignal, CliProcess } from '../../../support/api/cli-process.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { ServiceInProcess } from '../../../support/api/service-in-process.ts';
import { showOnFailure } from '../../../support/show-on-failure.ts';

/** The real command against a real service: echo on a virtual board, built once. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-commands-'));
const file = (name: string) => path.join(folder, name);
const environment: Record<string, string> = {
  XDG_CONFIG_HOME: file('config'),
  APPDATA: file('config'),
  WISHBENCH_KEY: 'ada',
};
const cli = (args: string[], input = '') => runCli(args, environment, input);
/** Not synchronous: the service is in this process. */
async function shell(script: string): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const bash = spawn('bash', ['-c', script], {
    env: { ...process.env, ...environment, W: `${process.execPath} ${distPath('server', 'cli.js')}` },
  });
  const ended = new Promise<number | null>((resolve) => bash.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(bash.stdout), text(bash.stderr)]);
  const status = await ended;
  showOnFailure(script, status, stderr);
  return { status, stdout, stderr };
}
/** Windows has neither signals nor bash; tests/windows presses Ctrl+C in its console. */
const onUnix = test.skipIf(process.platform === 'win32');
let service: ServiceInProcess | undefined;

beforeAll(async () => {
  service = await ServiceInProcess.start(['echo.v']);
  environment['WISHBENCH_URL'] = service.url;
  const submitted = await cli(['submit', '--any', resourcePath('examples', 'echo.v'), '--follow', '--json']);
  expect([submitted.code, submitted.stderr]).toEqual([0, expect.stringContaining(' program]')]);
  expect(JSON.parse(submitted.stdout)).toMatchObject({ fpga_id: 0, status: 'complete', owner: 'ada' });
});
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('every command has help with an example that begins with its own name', () => {
  for (const command of createCommandLine('0').program.commands) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toMatch(new RegExp(`Example:\\n(.*\\| |source <\\(|.*)wishbench ${command.name()}`));
  }
});

test('global options may precede the command, and the later value wins', async () => {
  const elsewhere = { ...environment, WISHBENCH_URL: 'http://127.0.0.1:9' };
  const url = environment['WISHBENCH_URL'] ?? '';
  const before = await runCli(['--url', url, '--key', 'ada', '--json', 'jobs', '--owner', 'ada'], elsewhere);
  expect([before.code, before.stderr]).toEqual([0, '']);
  expect(JSON.parse(before.stdout)).toMatchObject([{ owner: 'ada', status: 'complete' }]);
  const both = await runCli(['--url', 'http://127.0.0.1:9', 'nodes', `--url=${url}`], elsewhere);
  expect([both.code, both.stderr]).toEqual([0, '']);
});

describe('words', () => {
  test('dump and load: raw and hex, files and pipes, with a look back', async () => {
    expect((await cli(['write', '0', '0', '-'], '1 2 3 0xDEADBEEF')).code).toBe(0);
    expect((await cli(['dump', '0', '0', '4', '-', '--format', 'hex'])).stdout).toBe(
      '00000001\n00000002\n00000003\nDEADBEEF\n',
    );
    expect((await cli(['dump', '0', '0', '4', file('words.bin')])).stderr).toMatch(/16 bytes/);
    expect(readFileSync(file('words.bin')).readUInt32LE(12)).toBe(0xdead_beef);
    const loaded = await cli(['load', '0', '0x20', file('words.bin'), '--verify', '--json']);
    expect(JSON.parse(loaded.stdout)).toEqual({ address: 0x20, words: 4 });
    expect((await cli(['read', '0', '0x2C'])).stdout).toBe('0xDEADBEEF\n');
    const piped = await cli(
      ['load', '0', '0x40', '-', '--format', 'hex'],
      '// two words\n00000005 /* and */ 6\n',
    );
    expect([piped.code, piped.stderr]).toEqual([0, '2 words written.\n']);
    const odd = await cli(['load', '0', '0', '-'], 'abc');
    expect([odd.code, odd.stderr]).toEqual([
      1,
      expect.stringMatching(/3 bytes, which is not a multiple of 4/),
    ]);
    expect((await cli(['load', '0', '0', '-', '--format', 'hex'], 'xyz')).stderr).toMatch(/“xyz”/);
  });

  test('poll ends when the word matches, and fails on timeout', async () => {
    await cli(['write', '0', '0x80', '0x10']);
    const waits = new CliProcess(['poll', '0', '0x80', '--until', '1', '--mask', '1', '--json'], environment);
    while (!waits.stdout.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 10));
    await cli(['write', '0', '0x80', '0x11']);
    const { code, stdout } = await waits.ended;
    const data = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data);
    expect([code, data]).toEqual([0, [[0x10], [0x11]]]);
    const late = await cli(['poll', '0', '0x80', '--until', '2', '--timeout', '0.2']);
    expect([late.code, late.stderr]).toEqual([
      1,
      expect.stringMatching(/did not become 0x00000002 within 0\.2 s; it is 0x00000011/),
    ]);
  });

  test('polls of several viewers share one poll of the bench and add no transaction', async () => {
    const viewers = ['poll', 'poll'].map(
      (command) => new CliProcess([command, '0', '0x80', '70', '--every', '0.05', '--json'], environment),
    );
    for (const viewer of viewers)
      while (!viewer.stdout.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 10));
    // The bench makes the polls: the record has no transaction of a caller.
    const record = async () => {
      const service = createClient({ base: environment['WISHBENCH_URL'] ?? '' });
      const { transactions } = await service.listTransactions({ fpga_id: 0 });
      return transactions.filter(({ polled }) => !polled);
    };
    const [newest] = await record();
    await cli(['write', '0', '0x194', '5']);
    for (const viewer of viewers)
      while (viewer.stdout.split('\n').length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await record()).filter(({ seq }) => seq > (newest?.seq ?? 0)).map(({ op }) => op)).toEqual([
      'write',
    ]);
    const seen = viewers.map(({ stdout }) => stdout.split('\n')[1] ?? '').map((line) => JSON.parse(line));
    expect(seen.map(({ data }) => [data.length, data[69]])).toEqual([
      [70, 5],
      [70, 5],
    ]);
    // Read once for both: what they say of the moment is the same.
    expect(seen[0].time).toBe(seen[1].time);
    for (const viewer of viewers) await viewer.end('SIGINT');
  });

  test('a poll requires a session and a pollable address', async () => {
    const odd = await cli(['poll', '0', '2']);
    expect([odd.code, odd.stderr]).toEqual([1, expect.stringMatching(/not a stream request/)]);
    const none = await cli(['poll', '5', '0']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/Node 5 is idle/)]);
    expect((await cli(['poll', '0', '0', '0'])).code).toBe(2);
  });

  test('stream: lines in, words out, an invalid line ends a script with 2', async () => {
    const answered = await cli(['stream', '0'], 'w 0x90 1 2  # two\n\nr 0x90 2\nread 0x94\n');
    expect(answered).toEqual({ code: 0, stdout: '0x00000001 0x00000002\n0x00000002\n', stderr: '' });
    const slip = await cli(['stream', '0'], 'x 1\n');
    expect([slip.code, slip.stderr]).toEqual([
      2,
      expect.stringMatching(/A line must be “r ADDRESS \[COUNT\]”/),
    ]);
    // A single word lacks no address: it is no transaction.
    const word = await cli(['stream', '0'], 'bad\n');
    expect([word.code, word.stderr]).toEqual([2, expect.stringMatching(/A line must be .*, not “bad”\.$/m)]);
  });

  test('a refusal by the service prints a sentence, with --json the envelope, and exits with 1', async () => {
    const name = await cli(['read', '0', 'CTRL']);
    expect([name.code, name.stderr]).toEqual([
      1,
      expect.stringMatching(/“wishbench map propose 0 --accept”/),
    ]);
    const json = await cli(['read', '0', '2', '--json']);
    expect([json.code, json.stdout]).toEqual([1, '']);
    expect(JSON.parse(json.stderr).detail).toMatchObject({
      error: 'validation_error',
      errors: [{ loc: ['body', 'address'] }],
    });
    const two = await cli(['write', '0', '2', '1', '--session', 'x'.repeat(5)]);
    expect([two.code, two.stderr]).toEqual([1, expect.stringMatching(/address: must be a multiple of 4/)]);
  });
});

describe('jobs', () => {
  test('job, jobs, report, bitstream, session accept a node for its newest', async () => {
    const job = JSON.parse((await cli(['jobs', '--type', 'build_and_program', '--json'])).stdout)[0];
    expect(job).toMatchObject({ owner: 'ada', fpga_id: 0 });
    expect((await cli(['jobs', '--owner', 'nobody'])).stdout).toBe('');
    expect((await cli(['job', job.job_id])).stdout).toMatch(/^build_and_program complete.* node 0 {2}ada/);
    expect((await cli(['report', '0'])).stdout).toMatch(/^Fmax .* MHz, meets 12 MHz$/m);
    expect(JSON.parse((await cli(['report', job.job_id, '--json'])).stdout).board).toBe('virtual-hx8k');
    expect((await cli(['report', '0'])).stdout).toMatch(/^FF +(\d+) of 7680, design \d+, bench \d+$/m);
    const beside = await cli(['report', '0', '--against', job.job_id]);
    expect(beside.stdout).toMatch(/^Fmax +([\d.]+ MHz) +\1 +0\.0$/m);
    const figures = JSON.parse((await cli(['report', '0', '--against', '0', '--json'])).stdout).figures;
    expect(figures).toContainEqual(expect.objectContaining({ group: 'design', name: 'LUT', difference: 0 }));
    const first = await cli(['report', '0', '--against', 'before']);
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('no earlier build')]);
    const written = JSON.parse((await cli(['bitstream', '0', file('echo.bin'), '--json'])).stdout);
    expect(written).toEqual({ file: file('echo.bin'), bytes: statSync(file('echo.bin')).size });
    expect((await cli(['session', '0'])).stdout).toMatch(/ {2}ada {2}until 20/);
    const done = await cli(['cancel', job.job_id]);
    expect([done.code, done.stderr]).toEqual([1, expect.stringMatching(/\.\n$/)]);
    expect((await cli(['audit', '--action', 'submit'])).stdout).toMatch(/ada {2}submit/);
  });

  test('a followed build that fails prints each line of its log once', async () => {
    writeFileSync(file('broken.v'), 'module broken(input clk, output q);\n  assign q = ;\nendmodule\n');
    const { code, stderr } = await cli(['submit', '9', file('broken.v'), '--follow']);
    expect(code).toBe(1);
    // slang's message ends without a stop: the remedy is a sentence of its own.
    expect(stderr).toMatch(/^The job failed: .*broken\.v:2[^\n]*[^.]\. [A-Z][^\n]*\.$/m);
    const said = (text: string) => text.split('\n').filter((line) => / (scan|synthesis)\]/.test(line));
    const log = said((await cli(['logs', '9'])).stdout);
    expect(log.length).toBeGreaterThan(0);
    expect(said(stderr)).toEqual(log);
    // Without it, a waiting command shows the end of the log and the cause once.
    const waited = await cli(['submit', '9', file('broken.v'), '--wait']);
    expect(
      waited.stderr.split('broken.v:2: expected expression: a value or a name is missing here').length - 1,
    ).toBe(1);
    expect(waited.stderr).toMatch(/ scan\] build /);
  });

  onUnix('Ctrl-C while waiting: prints that the job continues, exits with 130', async () => {
    // Node 0 is reserved, so it waits.
    const echo = resourcePath('examples', 'echo.v');
    const waits = new CliProcess(['submit', '0', echo, '--when-idle', '--wait'], environment);
    while (!waits.stderr.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 10));
    const { code, stdout, stderr } = await waits.end('SIGINT');
    const job_id = stdout.trim();
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining(`The job goes on: “wishbench job ${job_id}” shows it.`),
    ]);
    expect(JSON.parse((await cli(['job', job_id, '--json'])).stdout).status).toBe('queued');
    expect((await cli(['cancel', job_id])).code).toBe(0);
  });
});

describe('others', () => {
  const as = (owner: string, args: string[]) => runCli(args, { ...environment, WISHBENCH_KEY: owner });

  test('watch shows transactions and the holder; request, decline and handover act on the session', async () => {
    const viewer = new CliProcess(['watch', '0', '--json'], { ...environment, WISHBENCH_KEY: 'bob' });
    const seen = (words: string) => expect.poll(() => viewer.stdout, { interval: 10 }).toContain(words);
    await seen('"owner":"ada"');
    await cli(['write', '0', '0x1F0', '0xABCD']);
    await seen('"address":496');
    expect((await as('bob', ['request', '0', 'five minutes'])).code).toBe(0);
    const { control_requests: requests } = await createClient({
      base: environment['WISHBENCH_URL'] ?? '',
    }).getNodeDetails({
      fpga_id: 0,
    });
    expect(requests).toMatchObject([{ owner: 'bob', note: 'five minutes' }]);
    const taken = await as('bob', ['request', '0', '--withdraw', '--json']);
    expect([taken.code, JSON.parse(taken.stdout)]).toEqual([0, { fpga_id: 0, withdrawn: true }]);
    expect((await as('bob', ['request', '0', '--withdraw'])).code).toBe(1);
    expect((await as('bob', ['request', '0'])).code).toBe(0);
    const declined = await cli(['decline', '0', 'bob', '--json']);
    expect([declined.code, JSON.parse(declined.stdout)]).toEqual([
      0,
      { fpga_id: 0, owner: 'bob', declined: true },
    ]);
    expect((await cli(['decline', '0', 'bob'])).code).toBe(1);
    expect(JSON.parse((await cli(['extend', '0', '--json'])).stdout)).toMatchObject({ owner: 'ada' });
    const given = await cli(['handover', '0', 'bob', '--json']);
    expect(JSON.parse(given.stdout)).toMatchObject({ fpga_id: 0, owner: 'bob' });
    await seen('"owner":"bob"');
    expect((await as('bob', ['handover', '0', 'ada'])).code).toBe(0);
    const [newest] = JSON.parse((await cli(['activity', '0', '--json'])).stdout);
    expect(newest).toMatchObject({ kind: 'handed_over', by: 'bob', to: 'ada' });
    const { code, stdout } = await viewer.end('SIGINT');
    expect(code).toBe(afterSignal(130));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('transaction');
  });

  test('a job queues for one node, and can be cancelled', async () => {
    const echo = resourcePath('examples', 'echo.v');
    const submitted = await cli(['submit', '0', echo, '--when-idle']);
    const job_id = submitted.stdout.trim();
    expect(submitted.stderr).toBe(
      `The build has not ended: “wishbench job ${job_id} --wait” waits for it.\n`,
    );
    const shown = await cli(['job', job_id]);
    expect(shown.stdout).toMatch(/^build_and_program queued {2}waits for node 0, place 1 {2}/);
    expect((await cli(['cancel', job_id])).code).toBe(0);
    const both = await cli(['submit', '0', echo, '--when-idle', '--replace']);
    expect([both.code, both.stderr]).toEqual([2, expect.stringMatching(/--replace and --when-idle/)]);
  });

  test('a running design is replaced, stored with its versions and checked by its script', async () => {
    const before = JSON.parse((await cli(['session', '0', '--json'])).stdout);
    const replaced = await cli([
      'submit',
      '0',
      resourcePath('examples', 'echo.v'),
      '--replace',
      '--wait',
      '--json',
    ]);
    expect(JSON.parse(replaced.stdout)).toMatchObject({ status: 'complete', fpga_id: 0, replaces: true });
    expect(JSON.parse((await cli(['session', '0', '--json'])).stdout).session_id).not.toBe(before.session_id);

    const designs: DesignSummary[] = JSON.parse((await cli(['designs', '--json'])).stdout);
    const { design_id = '', ...design } = designs.find(({ name }) => name === 'echo.v') ?? {};
    expect([design, design_id]).toMatchObject([{ owner: 'ada' }, expect.stringMatching(/^echo/)]);
    expect((await cli(['designs', 'show', design_id])).stdout).toMatch(/ built .* MHz .* LUTs /);
    await cli(['designs', 'source', design_id, '-o', file('kept.v')]);
    expect(readFileSync(file('kept.v'), 'utf8')).toBe(
      readFileSync(resourcePath('examples', 'echo.v'), 'utf8'),
    );

    await cli(['write', '0', '0x20', '9']);
    await cli(['read', '0', '0x20']);
    const recorded = await cli(['script', 'record', '0']);
    writeFileSync(file('check.json'), recorded.stdout);
    const passed = await cli(['script', 'run', '0', file('check.json')]);
    expect([passed.code, passed.stderr]).toEqual([0, expect.stringMatching(/^2 passed, 0 failed/)]);
    const wrong = JSON.stringify({ steps: [{ op: 'read', address: 0x20, expect: [8] }] });
    const failed = await cli(['script', 'run', '0', '-'], wrong);
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/^✗ 1 .*got 0x9\n$/)]);
    expect((await cli(['script', 'run', '0', '-'], '[')).stderr).toMatch(/is not a script/);
    expect((await cli(['script', 'keep', design_id, file('check.json')])).code).toBe(0);
    expect((await cli(['script', 'show', design_id])).stdout).toBe(recorded.stdout);
    expect((await cli(['script', 'run', '0'])).code).toBe(0);
    expect((await cli(['script', 'export', design_id, '--as', 'py'])).stdout).toMatch(/^#!.*python3/);
    expect((await cli(['script', 'export', '0', '--as', 'curl'])).stdout).toMatch(/^#!.*sh/);
    expect((await cli(['script', 'remove', design_id])).code).toBe(0);
    expect((await cli(['script', 'show', design_id])).code).toBe(1);
  });
});

describe('pipes', () => {
  onUnix('a reader that closes the pipe ends the command silently', async () => {
    const { stdout, stderr } = await shell(
      `$W logs 0 | head -1; for one in \${PIPESTATUS[@]}; do echo $one; done`,
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n').slice(-3, -1)).toEqual(['0', '0']);
  });

  test('events: one JSON a line until Ctrl-C', async () => {
    const child = new CliProcess(['events', '--json', '--type', 'snapshot'], environment);
    while (!child.stdout.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 10));
    const { code, stdout } = await child.end('SIGINT');
    expect(code).toBe(afterSignal(130));
    expect(JSON.parse(stdout.trim())).toMatchObject({ type: 'snapshot' });
  });
});

describe('benches with a name', () => {
  const config = () => path.join(file('config'), 'wishbench', 'benches.json');

  test.runIf(process.platform === 'linux')(
    'login stores a key in a private file, logout removes it',
    async () => {
      const url = environment['WISHBENCH_URL'] ?? '';
      const named = { ...environment, WISHBENCH_URL: '', WISHBENCH_KEY: '' };
      const signedIn = await runCli(['login', url, '--bench', 'lab'], named, 'grace\n');
      expect([signedIn.code, signedIn.stderr]).toEqual([0, expect.stringMatching(/ as grace\. .*“lab”/)]);
      expect(statSync(config()).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(config(), 'utf8'))).toEqual({
        default: 'lab',
        benches: { lab: { url, key: 'grace' } },
      });
      expect((await runCli(['nodes', '--bench', 'lab'], named)).code).toBe(0);
      const held = await runCli(['release', '0'], named);
      expect([held.code, (await runCli(['benches'], named)).stdout]).toEqual([
        held.code,
        `* lab  ${url}  with a key\n`,
      ]);
      expect((await runCli(['logout'], named)).stderr).toBe('Signed out of “lab”.\n');
      expect(readFileSync(config(), 'utf8')).not.toContain('grace');
      const nobody = { ...named, XDG_CONFIG_HOME: file('config of nobody') };
      expect(await runCli(['benches'], nobody)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('wishbench login URL --bench NAME'),
      });
      const unknown = await runCli(['nodes', '--bench', 'attic'], named);
      expect([unknown.code, unknown.stderr]).toEqual([
        1,
        'No bench has the name “attic”. Known names: lab.\n',
      ]);
      writeFileSync(config(), '{');
      expect((await runCli(['nodes'], named)).stderr).toMatch(/Correct it or delete it\.\n$/);
      rmSync(config());
    },
  );
});

describe('completion', () => {
  /** What bash offers for the last word of each command line. */
  const complete = async (...lines: string[][]): Promise<string[][]> => {
    const { stdout } = await shell(`source <($W completion bash)
      complete_last() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wishbench; echo "\${COMPREPLY[@]}"; }
      ${lines.map((words) => `complete_last ${words.map((word) => `'${word}'`).join(' ')}`).join('\n')}`);
    return stdout
      .split('\n')
      .slice(0, lines.length)
      .map((line) => line.split(' ').filter((word) => word !== ''));
  };

  onUnix('bash knows commands, options, nodes, choices and files', async () => {
    const data = file('data');
    mkdirSync(data);
    const offered: [string[], string[]][] = [
      [
        ['wishbench', 're'],
        ['release', 'reset', 'request', 'report', 'read', 'restore'],
      ],
      [['wishbench', 'submit', '--al'], ['--allow-timing-failure']],
      [
        ['wishbench', 'read', ''],
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
      ],
      [
        ['wishbench', 'read', '3', '0', '--format', ''],
        ['hex', 'dec', 'bin'],
      ],
      [['wishbench', 'submit', '--addressing', 'word', '3', data], [data]],
      [['wishbench', 'keys', 'r'], ['revoke']],
      [['wishbench', '--u'], ['--url']],
      [['wishbench', '--ca', data], [data]],
      [['wishbench', '--url', 'http://lab', 'keys', 'r'], ['revoke']],
      [['wishbench', 'nodes', ''], []],
    ];
    expect(await complete(...offered.map(([words]) => words))).toEqual(offered.map(([, words]) => words));
  });

  const has = (program: string) => spawnSync(program, ['--version']).status === 0;
  test.runIf(has('zsh'))('zsh accepts its script', async () => {
    const { status, stderr } = await shell(
      `zsh -fc "autoload -U compinit; compinit -u -d ${file('zcompdump')}; source <($W completion zsh)"`,
    );
    expect([status, stderr]).toEqual([0, '']);
  });
  test.runIf(has('fish'))('fish accepts its script', async () => {
    const { stdout } = await shell(`fish -c '$W completion fish | source; complete -C "wishbench sub"'`);
    expect(stdout).toMatch(/^submit\t/);
  });
});

test('a command whose output closes leaves no child process', async () => {
  const child = spawn(process.execPath, [distPath('server', 'cli.js'), 'logs', '0', '-f'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.destroy();
  expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
});

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BenchOptions, createBench } from '../../../../server/bench.ts';
import { describeError } from '../../../../server/cli/describe-error.ts';
import { numberOf } from '../../../../server/cli/usage.ts';
import { pause, systemClock } from '../../../../server/clock.ts';
import { createClient } from '../../../../server/contract/client/client.ts';
import { silentLogger } from '../../../../server/log.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { afterSignal, CliProcess, runCliProcess } from '../../../support/api/cli-process.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { ServiceInProcess } from '../../../support/api/service-in-process.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;
const freshFolder = () => path.join(folder, String(folders++), 'data');

/** Structured logs: nothing else on standard error. */
const expectJsonLines = (text: string) => {
  for (const line of text.split('\n').filter((line) => line !== ''))
    expect(JSON.parse(line)).toHaveProperty('level');
};

/** Windows has neither signals nor bash; tests/windows presses Ctrl+C in its console. */
const onUnix = test.skipIf(process.platform === 'win32');

describe('serve', () => {
  test('prints one line on standard output when ready, logs to standard error, ends on SIGTERM and hides the operator token', async () => {
    const service = new CliProcess(['serve', '--port', '0', '--data', freshFolder()], {
      WISHBENCH_OPERATOR_TOKEN: 'a-token-of-the-test',
    });
    const url = await service.url();
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok', store: true });
    expect((await fetch(`${url}/settings`)).status).toBe(403);
    const headers = { 'x-operator-token': 'a-token-of-the-test' };
    expect((await fetch(`${url}/settings`, { headers })).status).toBe(200);
    const { code, stdout, stderr, ms } = await service.end('SIGTERM');
    expect(code).toBe(afterSignal(0));
    expect(stdout).toBe(`wishbench listening on ${url}\n`);
    expect(ms).toBeLessThan(5000);
    expectJsonLines(stderr);
    expect(stderr).toContain('"path":"/health"');
    expect(stderr).not.toContain('a-token-of-the-test');
  });

  onUnix('SIGINT ends it within 5 s during a build, with open streams and waits', async () => {
    const data = freshFolder();
    const service = new CliProcess(['serve', '--port', '0', '--data', data]);
    const url = await service.url();
    const client = createClient({ base: url });
    const file = { name: 'echo.v', contents: readFileSync(resourcePath('examples', 'echo.v')) };
    const { job_id } = await client.submitDesign({ fpga_id: 0, body: { file } });
    const which = { fpga_id: 0, job_id };
    const log: string[] = [];
    const follow = async () => {
      for await (const chunk of client.followLog(which)) log.push(Buffer.from(chunk).toString());
    };
    const open = [
      client.streamEvents().then((answer) => answer.text()),
      follow(),
      client.jobEnded(which),
    ].map((one) => one.catch(() => {}));
    // In the middle of a build: a tool has begun to write.
    while (!log.join('').includes(' synthesis]')) await pause(systemClock, 10);
    const { code, ms } = await service.end('SIGINT');
    expect([code, ms < 5000]).toEqual([0, true]);
    await Promise.all(open);

    const again = new CliProcess(['serve', '--port', '0', '--data', data]);
    const job = await createClient({ base: await again.url() }).getJob(which);
    expect(job.status).toBe('failed');
    expect((await again.end()).code).toBe(afterSignal(0));
  });

  test('a busy directory: one sentence and exit 1', async () => {
    const data = freshFolder();
    const first = new CliProcess(['serve', '--port', '0', '--data', data]);
    await first.url();
    const second = await runCliProcess(['serve', '--port', '0', '--data', data]);
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toMatch(/^The data directory .*is in use by another instance.* [A-Z].+\.\n$/);
    // Another one has it afterwards: the test before starts again with the same.
    expect((await first.end()).code).toBe(afterSignal(0));
  });

  /** What the command prints where a bench does not start. */
  const refusal = async (options: Partial<BenchOptions>): Promise<string> => {
    const starting = createBench({ dataDir: freshFolder(), port: 0, logger: silentLogger, ...options });
    const error: unknown = await starting.then(
      async (bench) => {
        await bench.close();
        expect.fail('it started');
      },
      (reason: unknown) => reason,
    );
    return describeError(error, false).text;
  };

  test('a busy port, an impossible address and an impossible directory: one sentence', async () => {
    const taken = http.createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    expect(await refusal({ port })).toBe(
      `Port ${port} of 127.0.0.1 is in use by another program. End that program, or start with another --port; 0 picks a free one.`,
    );
    taken.close();
    expect(await refusal({ host: '203.0.113.7' })).toMatch(
      /^The service cannot listen at 203\.0\.113\.7.+\.$/,
    );
    const file = path.join(folder, 'a-file');
    writeFileSync(file, '');
    expect(await refusal({ dataDir: path.join(file, 'data') })).toMatch(
      /^The data directory .+ cannot be written: not a directory\. [A-Z].+\.$/,
    );
  });

  test.runIf(process.platform === 'linux')(
    'prints the data directory in use, and another bench that is not',
    async () => {
      const home = path.join(folder, 'home');
      const environment = {
        HOME: home,
        XDG_DATA_HOME: path.join(home, 'share'),
        XDG_CONFIG_HOME: path.join(home, 'config'),
        WISHBENCH_DATA: '',
      };
      const shared = path.join(home, 'share', 'wishbench');
      const earlier = path.join(home, 'config', 'Wishbench', 'bench');
      const serve = async () => {
        const service = new CliProcess(['serve', '--port', '0'], environment);
        await service.url();
        return (await service.end()).stderr;
      };
      expect(await serve()).toContain(`"folder":"${shared}"`);
      expect(readFileSync(path.join(shared, 'bench.json'), 'utf8')).toContain('{');

      mkdirSync(earlier, { recursive: true });
      cpSync(path.join(shared, 'bench.json'), path.join(earlier, 'bench.json'));
      expect(await serve()).toContain(`The bench in ${earlier} is not used: this one is in ${shared}.`);
    },
  );
});

/** Command lines that no command accepts, and the messages. */
const REFUSED: [args: string[], sentence: RegExp][] = [
  [['serve', '--nope'], /no option --nope/],
  [['serve', 'extra'], /Too many arguments/],
  [['serve', '--port'], /--port/],
  [['serve', '--port', 'http'], /--port must be a number from 0 to 65535/],
  [['serve', '--port', '65536'], /--port must be a number/],
  [['serve', '--port', '-1'], /--port/],
  [['serve', '--host', ''], /--host needs an address/],
  [['submit', '--any', '3', 'x.v'], /NODE or --any, not both/],
  [['nods'], /Did you mean nodes\?/],
  [['poll', '3', '0', '--every', 'soon'], /--every must be a number of seconds/],
  [['jobs', '--status', 'lost'], /--status must be of queued/],
  [['completion', 'csh'], /^SHELL must be one of bash, zsh, fish, not “csh”\./],
  [['nodes', '--url', 'http://a', '--bench', 'b'], /not both/],
  [['nodes', '--fingerprint', '12', '--url', 'https://a'], /64 hex digits/],
  [['serve', '--data', ''], /--data needs a directory/],
  [['serve', '--log-level', 'loud'], /--log-level must be one of/],
  [['fly'], /no command “fly”/],
  [['constructor'], /no command/],
  [['submit', '0'], /FILE is missing/],
  [['read'], /NODE is missing/],
  [['read', '10', '0'], /NODE must be a number from 0 to 9/],
  [['read', '0', '0xz'], /ADDRESS must be a number/],
  [['read', '0', '0', '1', '2'], /Too many arguments/],
  [['read', '0', '0', '--format', 'octal'], /--format must be/],
  [['write', '0', '0'], /WORD is missing/],
  [['write', '0', '0', '0x1_0000_0000'], /WORD must be a number/],
  [['submit', '0', 'x.v', '--tie', 'irq'], /--tie must be/],
  [['nodes', '--url', 'ftp://x'], /--url must be an address/],
  [['--url', 'ftp://x', 'nodes'], /--url must be an address/],
  [['keys', '--url', 'ftp://x', 'revoke', '5f0c'], /--url must be an address/],
  [['script', '--url', 'ftp://x', 'show', 'echo'], /--url must be an address/],
  [['--bench', 'b', 'nodes', '--url', 'http://a'], /not both/],
  [['--url', 'http://a', 'completion', 'bash'], /no option --url for “completion”/],
  [['--url', 'http://a'], /The command is missing/],
  [['--url'], /--url needs a value/],
  [['script'], /The command is missing/],
];

const expectOneSentence = (stderr: string, sentence: RegExp) => {
  expect(stderr).toMatch(sentence);
  expect(stderr.trimEnd().split('\n').length).toBe(1);
  expect(stderr).toMatch(/[.?]\n$/);
};

describe('usage', () => {
  test.each(REFUSED)('%j: a sentence and exit 2', async (args, sentence) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, '']);
    expectOneSentence(stderr, sentence);
  });

  test('the process ends with the code and the sentence of the command', async () => {
    const [[args]] = REFUSED as [[string[], RegExp]];
    expect(await runCliProcess(args)).toEqual(await runCli(args));
  });

  test('--help and --version', async () => {
    for (const args of [['--help'], [], ['serve', '--help'], ['help']]) {
      const { code, stdout } = await runCli(args);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: wishbench /)]);
    }
    expect(await runCliProcess(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });

  test('numbers in every usual notation', () => {
    expect(
      ['10', '0x1F', '0b101', '0xDEAD_BEEF', '1_000'].map((text) => numberOf(text, 'N', 2 ** 32)),
    ).toEqual([10, 31, 5, 0xdead_beef, 1000]);
    for (const text of ['', '-1', '1.5', '0x', '0b2', '1e3', ' 1', '4294967297'])
      expect(() => numberOf(text, 'N', 2 ** 32)).toThrow(/N must be/);
  });

  test('no service running: one sentence and exit 3', async () => {
    const { code, stderr } = await runCli(['nodes', '--url', 'http://127.0.0.1:9']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^No service answers at http:\/\/127\.0\.0\.1:9.+\.\n$/),
    ]);
  });
});

describe('client commands against a running bench, with real boards', () => {
  let service: ServiceInProcess | undefined;
  let environment: Record<string, string>;
  beforeAll(async () => {
    const source = readFileSync(resourcePath('examples', 'echo.v'));
    const built = { filename: 'echo.v', source, options: { timing_target_mhz: 12 } };
    service = await ServiceInProcess.start([built]);
    environment = { WISHBENCH_URL: service.url, WISHBENCH_API_KEY: 'åsa' };
  });
  afterAll(() => service?.close());
  const cli = (args: string[], input = '') => runCli(args, environment, input);

  test('submit, write, read, jobs, logs, release', async () => {
    const submitted = await cli([
      'submit',
      '2',
      resourcePath('examples', 'echo.v'),
      '--wait',
      '--target',
      '12',
      '--allow-timing-failure',
    ]);
    expect(submitted.code).toBe(0);
    const job = submitted.stdout.trim();
    expect(job).toMatch(/^[0-9a-f-]{36}$/);
    expect((await cli(['nodes'])).stdout).toMatch(/^2 {2}reserved {5}åsa /m);
    expect((await cli(['job', job])).stdout).toMatch(/^build_and_program complete/);
    const details = JSON.parse((await cli(['job', job, '--json'])).stdout);
    expect(details.submit.options).toEqual({ timing_target_mhz: 12, allow_timing_failure: true });
    const log = await cli(['logs', job, '--follow']);
    expect(log.stdout).toContain(' program]');
    expect(log.stdout).toBe((await cli(['logs', job])).stdout);

    expect(await cli(['write', '2', '0x10', '1', '0xDEAD_BEEF', '0b11'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect((await cli(['read', '2', '0x10', '3'])).stdout).toBe('0x00000001\n0xDEADBEEF\n0x00000003\n');
    expect((await cli(['read', '2', '0x14', '--format', 'dec'])).stdout).toBe('3735928559\n');
    expect((await cli(['write', '2', '0', '-'], '7 8\n9\n')).code).toBe(0);
    const json = await cli(['read', '2', '0', '3', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ ok: true, data: [7, 8, 9] });

    const bad = await cli(['read', '2', '0x2']);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringMatching(/address: must be a multiple of 4/)]);
    expect((await cli(['release', '2'])).code).toBe(0);
    const late = await cli(['release', '2']);
    expect([late.code, late.stderr]).toEqual([1, expect.stringMatching(/no active session/)]);
    expect((await cli(['nodes', '--json'])).stdout).toContain('"state": "idle"');
  });

  test('a design that does not build: prints its log and the reason, exits with 1', async () => {
    const file = path.join(folder, 'broken.v');
    writeFileSync(file, 'module broken(input clk);\n  assign = ;\nendmodule\n');
    const { code, stderr } = await cli(['submit', '3', file, '--wait']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/broken\.v:2/);
    expect(stderr).toMatch(/The job failed: .+\.\n$/);
    expect((await cli(['submit', '3', path.join(folder, 'absent.v')])).stderr).toMatch(
      /cannot be read \(ENOENT\)/,
    );
  });
});

describe('demo', () => {
  test('shows every stage and succeeds only if every word matches', async () => {
    const { code, stdout } = await runCliProcess(['demo']);
    expect(stdout).toContain('512 words read back: all correct');
    for (const stage of [
      'synthesis',
      'placement',
      'routing',
      'programming the board',
      'node released: complete',
    ])
      expect(stdout).toContain(stage);
    expect(code).toBe(0);
  });
});

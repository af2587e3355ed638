import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../server/clock.ts';
import { resourcePath } from '../../server/paths.ts';
import { PtyPair, SerialPeer } from '../support/boards/pty.ts';
import { freePort } from '../support/free-ports.ts';
import { RECORD_RUN, recordRun } from '../support/platform-runs.ts';
import { pressCtrlC } from './console.ts';
import { NODE_VERSION, onPath, Prefix } from './prefix.ts';
import { cannotRun, isWholeSuite, judge, partsToRun } from './suite.ts';

/** Nobody may write to it, root included: Windows' answer to its opener is that of a port that another program holds. */
const HELD = '/sys/kernel/uevent_seqnum';

/** The rate that a terminal is set to, bits a second. */
const rateOf = (terminal: string) =>
  Number(execFileSync('stty', ['-F', terminal, 'speed'], { encoding: 'utf8' }));

const opened = await Prefix.open();
if (typeof opened === 'string') test.skip(`cannot run: ${opened}`, () => {});

describe.skipIf(typeof opened === 'string')('on Windows, as Wine has it', () => {
  const prefix = opened as Prefix;
  afterAll(() => prefix.close());

  /** C:\w\data and its contents, new for each test. */
  const data = 'C:\\w\\data';
  const dataFolder = () => path.join(prefix.work, 'data');
  beforeEach(() => rmSync(dataFolder(), { recursive: true, force: true }));

  /** The service on C:\w\data, when it answers. */
  async function serve() {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const service = prefix.start(['dist/server/cli.js', 'serve', '--port', String(port), '--data', data]);
    let over = false;
    void service.ended.then(() => {
      over = true;
    });
    while (
      !(await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (over) throw new Error(`The service ended: ${(await service.ended).output}`);
      await pause(systemClock, 100);
    }
    return {
      url,
      cli: (...args: string[]) => prefix.cli('--url', url, ...args),
      /** As without power: nothing of it continues. */
      kill: async () => {
        service.child.kill('SIGKILL');
        await service.ended;
      },
    };
  }

  beforeAll(async () => {
    const { code, output } = await prefix.start(['run.mjs', 'build']).ended;
    expect(code, output).toBe(0);
  });

  test('Ctrl+C through run.mjs ends the service by itself, and its lock is gone', async () => {
    const port = String(await freePort());
    const args = ['run.mjs', 'serve', '--port', port, '--data', data];
    const { code, output } = await pressCtrlC(prefix, args, 'listening on', { tools: true });
    expect(code, output).toBe(0);
    expect(output).toContain(' ending');
    expect(existsSync(path.join(dataFolder(), 'bench.json'))).toBe(true);
    expect(existsSync(path.join(dataFolder(), 'lock'))).toBe(false);
  });

  test.skipIf(!onPath('makensis'))(
    'an uninstaller keeps the data unless it is told to delete it, and removes its own registration for links',
    async () => {
      const program = path.join(prefix.work, 'uninstaller.exe');
      const installer = resourcePath('windows', 'installer.nsh');
      execFileSync('makensis', [
        '-V2',
        '-WX',
        `-DINSTALLER=${installer}`,
        `-XOutFile ${program}`,
        path.join(import.meta.dirname, 'uninstaller.nsi'),
      ]);
      const local = (
        await prefix.start(['cmd', '/c', 'echo %LOCALAPPDATA%'], { wine: true }).ended
      ).output.trim();
      const bench = path.join(prefix.unixPath(local), 'Wishbench Uninstalled');
      const uninstall = async (...args: string[]) => {
        mkdirSync(path.join(bench, 'jobs'), { recursive: true });
        writeFileSync(path.join(bench, 'bench.json'), '{}');
        const { code, output } = await prefix.start([prefix.windowsPath(program), ...args], { wine: true })
          .ended;
        expect(code, output).toBe(0);
        return existsSync(bench);
      };
      expect(await uninstall('/S')).toBe(true);
      expect(await uninstall('/S', '--updated', '--delete-app-data')).toBe(true);
      expect(await uninstall('/S', '--delete-app-data')).toBe(false);

      const key = 'HKCU\\Software\\Classes\\wishbench';
      const reg = (...args: string[]) => prefix.start(['reg', ...args], { wine: true }).ended;
      /** Whether the uninstaller leaves what an application in this folder has registered. */
      const leaves = async (folder: string, ...args: string[]) => {
        const command = `"${folder}\\Wishbench.exe" "%1"`;
        await reg('add', `${key}\\shell\\open\\command`, '/ve', '/d', command, '/f');
        await uninstall('/S', ...args);
        return (await reg('query', key)).code === 0;
      };
      const own = 'C:\\w\\Wishbench Uninstalled';
      expect(await leaves('C:\\w\\Wishbench of a zip')).toBe(true);
      expect(await leaves(own, '--updated')).toBe(true);
      expect(await leaves(own)).toBe(false);
    },
  );

  test('a design is built and runs, also after Ctrl+C in the command that waits; a service that was killed comes back with its session', async () => {
    const before = await serve();
    const submit = ['submit', '3', 'resources/examples/echo.v', '--wait', '--follow'];
    const stopped = await pressCtrlC(
      prefix,
      ['dist/server/cli.js', '--url', before.url, ...submit],
      'synthesis',
    );
    expect(stopped.code, stopped.output).toBe(130);
    expect(stopped.output).toContain('The job goes on');
    const built = await before.cli('logs', '3', '--follow');
    expect(built.code, built.output).toBe(0);
    expect(built.output).toContain('place');
    expect(await before.cli('write', '3', '0x10', '0xDEAD_BEEF')).toMatchObject({ code: 0 });
    expect((await before.cli('read', '3', '0x10', '1')).output).toMatch(/deadbeef/i);
    await before.kill();

    const after = await serve();
    const nodes = await after.cli('nodes', '--json');
    expect(nodes.code, nodes.output).toBe(0);
    const written = await after.cli('write', '3', '0x10', '0x1234');
    expect(written.code, written.output).toBe(0);
    expect((await after.cli('read', '3', '0x10', '1')).output).toMatch(/1234/);
    await after.kill();
  });

  test('a bench.json that another program holds: the answer says so, and it goes on when that has ended', async () => {
    const service = await serve();
    // The shell opens it without sharing; ping waits a second between two.
    const holder = prefix.start(['cmd', '/c', `ping -n 15 127.0.0.1 < ${data}\\bench.json`], { wine: true });
    await pause(systemClock, 1000);
    const submit = () => service.cli('submit', '3', 'resources/examples/echo.v', '--json');
    const refused = await submit();
    expect(refused.code, refused.output).not.toBe(0);
    expect(refused.output).toContain('Windows does not allow writing to bench.json. Close the program');
    await holder.ended;
    const taken = await submit();
    expect(taken.code, taken.output).toBe(0);
    await service.kill();
  });

  test('the doctor takes no batch file for a tool', async () => {
    const folder = path.join(prefix.work, 'tools');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'ghdl.cmd'), '@echo GHDL 4.1.0\r\n');
    const { output } = await prefix.start(['dist/server/cli.js', 'doctor', '--data', data], {
      env: { WINEPATH: prefix.windowsPath(folder) },
    }).ended;
    expect(output).toMatch(/ghdl \(C:\\w\\tools\\ghdl\.cmd is a batch file, which the bench does not run\)/i);
  });

  test('boards behind COM ports: found by the listing of Windows, their rate, runs, a port in use, unplugged, plugged again', async () => {
    const boards = [
      { serial: 'FT4ABCD', port: 'COM33' },
      { serial: 'FT4EFGH', port: 'COM34' },
      { serial: 'FT4IJKL', port: 'COM35' },
    ];
    const lines = await Promise.all([PtyPair.open(), PtyPair.open()]);
    const identity = { version: 2, clockHz: 12_000_000, baud: 115_200 };
    const peers = await Promise.all(
      lines.map(({ here, there }) => SerialPeer.open(there, { identity, hostRate: () => rateOf(here) })),
    );
    try {
      for (const [i, { serial, port }] of boards.entries())
        await prefix.addPort(port, serial, lines[i]?.here ?? HELD);
      const { code, output } = await prefix.start([
        'run.mjs',
        'script',
        'tests/windows/com-ports.ts',
        ...boards.map(({ serial }) => serial),
      ]).ended;
      expect(code, output).toBe(0);
      const steps = output.split('\n').filter((line) => line.startsWith('{'));
      const runs = { same: true, rate: 3_000_000 };
      expect(steps.map((line) => JSON.parse(line))).toEqual([
        {
          step: 'listed',
          value: boards.map(({ serial, port }) => ({
            path: port,
            serial,
            location: null,
            interfaceNumber: 1,
          })),
        },
        { step: 'runs', value: runs },
        { step: 'runs', value: runs },
        { step: 'runs', value: 'port_busy' },
        { step: 'unplugged', value: 'board_absent' },
        { step: 'replugged', value: runs },
      ]);
    } finally {
      await Promise.all(peers.map((peer) => peer.close()));
      await Promise.all(lines.map((line) => line.close()));
    }
  });

  test.each(partsToRun().map(({ name, tests }) => [name, tests] as const))(
    '%s tests pass, save those on the list',
    async (name, tests) => {
      const report = path.join(prefix.work, 'tests.json');
      rmSync(report, { force: true });
      const { output } = await prefix.start([
        'node_modules/vitest/vitest.mjs',
        'run',
        '--maxWorkers=2',
        '--reporter=json',
        `--outputFile.json=${prefix.windowsPath(report)}`,
        ...tests,
      ]).ended;
      expect(existsSync(report), output).toBe(true);
      const { counts, problems } = judge(JSON.parse(readFileSync(report, 'utf8')), cannotRun());
      console.info(
        `Under Wine, ${name}: ${counts.passed} passed, ${counts.failed.length} failed, ${counts.skipped} skipped.`,
      );
      if (process.env[RECORD_RUN] && isWholeSuite())
        recordRun({ system: 'Windows, under Wine 8', node: NODE_VERSION, tests: name, ...counts });
      expect(problems).toEqual([]);
      expect(counts.passed).toBeGreaterThan(0);
    },
  );
});

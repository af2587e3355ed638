import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../clock.ts';
import { findExecutable } from '../executables.ts';
import { runTool } from '../run-tool.ts';

/** A command to run confined. */
interface SandboxedCommand {
  command: string;
  args: string[];
  /** Host folder that becomes the working folder. */
  folder: string;
  /** Whether the command may write to the folder. Otherwise it can write to memory only. */
  writable: boolean;
  /** Further host files and folders that are visible, read-only. */
  show: string[];
  /** Environment; the service's own is not visible. */
  env: Record<string, string>;
  limits: {
    /** Address space of one process, bytes. */
    memory: number;
    /** Processor time, seconds. */
    cpu: number;
    /** One file, bytes. */
    file: number;
    processes: number;
  };
}

/** Runs a command that can see and reach only what it is given of the host. */
export interface Sandbox {
  readonly kind: 'bubblewrap';
  readonly version: string;
  /** Absolute path of the sandbox program. */
  readonly path: string;
  /** The command line that runs `inner` confined, in the working folder /design. */
  wrap(inner: SandboxedCommand): { command: string; args: string[] };
}

/** The sandbox of a machine, or why there is none, as a part of a sentence. */
export type FoundSandbox = Sandbox | { readonly kind: 'missing'; readonly reason: string };

/** Programs and libraries of the system. A link into /usr is created anew. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
/** Files that programs need to start, without anything about users, hosts or keys. */
const SYSTEM_FILES = ['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/alternatives'];

function systemMounts(): string[] {
  const mounts: string[] = [];
  for (const folder of SYSTEM) {
    if (!existsSync(folder)) continue;
    if (lstatSync(folder).isSymbolicLink()) mounts.push('--symlink', readlinkSync(folder), folder);
    else mounts.push('--ro-bind', folder, folder);
  }
  for (const file of SYSTEM_FILES) if (existsSync(file)) mounts.push('--ro-bind', file, file);
  return mounts;
}

/**
 * Bubblewrap's options: no network, no other processes, an unprivileged user, a read-only system, and a private /tmp of
 * limited size. Source: bwrap(1).
 */
function bubblewrapArgs(inner: SandboxedCommand, prlimit: string | null): string[] {
  const { limits } = inner;
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/tmp',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...inner.env,
  };
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--unshare-user', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...systemMounts(),
    ...['--proc', '/proc', '--dev', '/dev'],
    // Limited in size. Other paths that bubblewrap makes writable are remounted read-only below.
    ...[
      '--size',
      String(16 * 2 ** 20),
      '--tmpfs',
      '/dev/shm',
      '--size',
      String(64 * 2 ** 20),
      '--tmpfs',
      '/tmp',
    ],
    ...inner.show.filter((file) => !isBelow(file, '/usr')).flatMap((file) => ['--ro-bind', file, file]),
    ...[inner.writable ? '--bind' : '--ro-bind', inner.folder, '/design', '--chdir', '/design'],
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
    ...(prlimit === null
      ? []
      : [
          prlimit,
          `--as=${limits.memory}`,
          `--cpu=${limits.cpu}`,
          `--fsize=${limits.file}`,
          `--nproc=${limits.processes}`,
          '--nofile=256',
          '--core=0',
          '--',
        ]),
    inner.command,
    ...inner.args,
  ];
}

const isBelow = (file: string, folder: string) => !path.relative(folder, file).startsWith('..');

/** Finds the sandbox of this machine: bubblewrap, with limits by prlimit. A trial command must succeed. */
export async function findSandbox(clock: Clock): Promise<FoundSandbox> {
  const missing = (reason: string): FoundSandbox => ({ kind: 'missing', reason });
  if (process.platform !== 'linux') return missing('bubblewrap, the sandbox, exists for Linux only');
  const [bwrap, prlimit] = await Promise.all([findExecutable('bwrap'), findExecutable('prlimit')]);
  if (bwrap === null) return missing('bubblewrap (bwrap) is not installed');
  if (prlimit === null) return missing('prlimit (util-linux) is not installed');
  const wrap = (inner: SandboxedCommand) => ({ command: bwrap, args: bubblewrapArgs(inner, prlimit) });
  const ask = async (command: { command: string; args: string[] }) => {
    const lines: string[] = [];
    const { end } = await runTool({
      ...command,
      cwd: '/',
      env: {},
      clock,
      deadline: 10,
      limits: { memory: 2 ** 30 },
      onLine: (line) => lines.push(line),
    });
    return { end, lines };
  };
  const trial = await ask(
    wrap({
      command: '/bin/sh',
      args: ['-c', 'exit 0'],
      folder: '/usr',
      writable: false,
      show: [],
      env: {},
      limits: { memory: 2 ** 30, cpu: 5, file: 0, processes: 64 },
    }),
  );
  if (trial.end.kind !== 'exit' || trial.end.code !== 0)
    return missing(`bubblewrap does not run here (${trial.lines.at(-1) ?? 'no reason given'})`);
  const { lines } = await ask({ command: bwrap, args: ['--version'] });
  return { kind: 'bubblewrap', version: lines[0] ?? 'bubblewrap', path: bwrap, wrap };
}

import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../clock.ts';
import { findExecutable } from '../executables.ts';
import { runTool } from '../run-tool.ts';

interface SandboxedCommand {
  command: string;
  args: string[];
  /** Host folder that becomes the working folder. */
  folder: string;
  /** The command may write there; else it is read-only and nothing outside memory can be written. */
  writable: boolean;
  /** Host files and folders to show read-only besides the system's programs and libraries. */
  show: string[];
  /** Environment; nothing of the service's own goes in. */
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

/** Something that runs a command so that it sees and reaches nothing of the host but what it is shown. */
export interface Sandbox {
  readonly kind: 'bubblewrap';
  readonly version: string;
  /** Absolute path of the program that confines. */
  readonly path: string;
  /** The command line that runs `inner` confined; its working folder inside is /design. */
  wrap(inner: SandboxedCommand): { command: string; args: string[] };
}

/** The sandbox of a machine, or why there is none, as a part of a sentence. */
export type FoundSandbox = Sandbox | { readonly kind: 'missing'; readonly reason: string };

/** The program and libraries of a system. Where the first is a link into /usr, the link is made anew. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];
/** What programs need to start: nothing about users, hosts or keys. */
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
 * Bubblewrap's options for a confined command: no network, no other processes, a nobody without capabilities,
 * a read-only system, a private and bounded /tmp. Source: bwrap(1).
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
    // Memory in disguise: bounded, and what else bubblewrap makes writable is closed again below.
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

/**
 * The sandbox of this machine: bubblewrap with its limits set by prlimit, tried once with a command that does
 * nothing.
 */
export async function findSandbox(clock: Clock): Promise<FoundSandbox> {
  const missing = (reason: string): FoundSandbox => ({ kind: 'missing', reason });
  if (process.platform !== 'linux') return missing('bubblewrap, the sandbox, exists for Linux only');
  const [bwrap, prlimit] = await Promise.all([findExecutable('bwrap'), findExecutable('prlimit')]);
  if (bwrap === null) return missing('bubblewrap (bwrap) is not installed');
  if (prlimit === null) return missing('prlimit of util-linux is not installed');
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

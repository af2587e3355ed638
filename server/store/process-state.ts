import { readFileSync } from 'node:fs';
import { systemCode } from './filesystem.ts';

/**
 * The state of a process. `dying`: it has ended, but threads of it still finish a system call, which may be a write.
 */
export type ProcessState = 'living' | 'dying' | 'dead';

/** Fields of /proc/PID/stat on Linux; see proc(5). */
interface ProcessStat {
  /** Field 3: R, S, D … of the first thread; Z for a zombie, X for one that is being removed. */
  state: string;
  /** Field 20. */
  threads: number;
  /** Field 22, when the process began, in clock ticks since boot. */
  born: string;
}

function readStat(pid: number): ProcessStat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in field 2 may contain blanks and brackets, so count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, born] = [fields[0], fields[17], fields[19]];
    return { state: String(state), threads: Number(threads), born: String(born) };
  } catch {
    return null;
  }
}

/** What the system says about processes. */
interface Processes {
  /** @throws ESRCH where there is no process of that number, EPERM where it belongs to another user. */
  signal(pid: number): void;
  /** Null except on Linux. */
  stat(pid: number): ProcessStat | null;
}

const ofSystem: Processes = { signal: (pid) => void process.kill(pid, 0), stat: readStat };

/**
 * When a process began, in clock ticks since boot: distinguishes it from a later one with its number. Null except on
 * Linux.
 */
export const processBirth = (pid: number): string | null => readStat(pid)?.born ?? null;

/**
 * Whether the process that had `pid` and began at `born` (null: unknown) still runs.
 * A killed process stays in the process table as a zombie until its parent collects its exit code, and still takes
 * signals. On Linux, /proc shows the difference. On macOS only `ps` would, so a killed process counts as living until
 * then. On Windows an ended process counts as dead, although others may still hold handles to it.
 */
export function processState(
  pid: number,
  born: string | null,
  processes: Processes = ofSystem,
): ProcessState {
  try {
    processes.signal(pid);
  } catch (error) {
    // EPERM: the process lives and belongs to another user.
    if (systemCode(error) !== 'EPERM') return 'dead';
  }
  const stat = processes.stat(pid);
  if (stat === null) return born === null ? 'living' : 'dead';
  if (born !== null && born !== stat.born) return 'dead';
  if (stat.state !== 'Z' && stat.state !== 'X') return 'living';
  return stat.threads > 1 ? 'dying' : 'dead';
}

import { readFileSync } from 'node:fs';
import { systemCode } from './filesystem.ts';

/**
 * What is known of a process: `dying` is one that has ended while threads of it still have a system call to
 * finish, which may be a write.
 */
export type ProcessState = 'living' | 'dying' | 'dead';

/** What Linux says of a process, from /proc/PID/stat; see proc(5). */
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
    // The name in field 2 may hold blanks and brackets, so the fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, born] = [fields[0], fields[17], fields[19]];
    return state && threads && born ? { state, threads: Number(threads), born } : null;
  } catch {
    return null;
  }
}

/** When a process began, in clock ticks since boot: tells it from a later one with its number. Null but on Linux. */
export const processBirth = (pid: number): string | null => readStat(pid)?.born ?? null;

/**
 * Whether the process that had `pid` and began at `born` (null: unknown) still runs.
 *
 * A process that was killed stays in the process table, as a zombie, until its parent asks for its exit code; a
 * signal can be sent to it as to a living one. On Linux /proc tells the two apart. On macOS nothing short of
 * running `ps` does, so there a killed process counts as living until its parent has taken note of its end. On
 * Windows a process that has ended counts as dead although others may still hold handles to it.
 */
export function processState(pid: number, born: string | null): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if (systemCode(error) !== 'EPERM') return 'dead';
  }
  const stat = readStat(pid);
  if (stat === null) return born === null ? 'living' : 'dead';
  if (born !== null && born !== stat.born) return 'dead';
  if (stat.state !== 'Z' && stat.state !== 'X') return 'living';
  return stat.threads > 1 ? 'dying' : 'dead';
}

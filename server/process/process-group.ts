import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Options of `spawn` for a child with its own process group. Windows has no process groups, and a detached child would
 * get a console window.
 */
export const OWN_GROUP = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** Sends a signal to a child and its descendants; a missing group is no error. */
export function signalGroup(leader: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  const { pid } = leader;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    // taskkill follows the tree of children and has no gentle way for console programs. The tree of an ended leader
    // can't be followed, and another process may have its number.
    if (leader.exitCode === null && leader.signalCode === null)
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => leader.kill(),
      );
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // No such process: it has ended.
  }
}

import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Options of `spawn` for a child that leads a process group of its own. On Windows there are no process groups, and
 * a detached child would get a console window.
 */
export const OWN_GROUP = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** Sends a signal to a child and to everything it has started; a group that is gone already is fine. */
export function signalGroup(leader: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  const { pid } = leader;
  if (pid === undefined) return;
  if (process.platform === 'win32') {
    // taskkill follows the tree of children, and knows no gentle way for console programs. The tree of a leader that
    // has ended cannot be followed, and its number may be somebody else's.
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

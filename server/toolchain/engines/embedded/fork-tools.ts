import { fork } from 'node:child_process';
import { plainEnvironment } from '../run-tool.ts';
import type { ToTools } from './process-messages.ts';

/** The tools' process as its parent sees it. */
export interface ToolsChild {
  post(message: ToTools): void;
  /** Calls `ended` once, also when the process could not be started. */
  listen(message: (message: unknown) => void, ended: (how: string) => void): void;
  /** Sets whether the child keeps this process alive. */
  hold(keepAlive: boolean): void;
  /** Kills it. */
  kill(): void;
}

/** Starts a process with a module of this program; the module finds its parent by itself. May throw. */
export type ForkTools = (entry: string) => ToolsChild;

/**
 * By default glibc has a memory pool for each thread, and what a thread has freed stays there. With one pool it is
 * returned to the system. `run.mjs` has the same for the service.
 */
export const ONE_MEMORY_POOL = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * Lets glibc ask for large pages. The tools take new memory again and again, and where the system gives large pages only
 * on request, touching it page by page is a quarter of what loading them costs.
 */
const LARGE_PAGES = { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** Environment of the tools' process. */
export const toolsEnvironment = (): Record<string, string> => ({
  ...plainEnvironment(),
  ...ONE_MEMORY_POOL,
  ...LARGE_PAGES,
});

/** No helper threads for garbage collection: the heaps are small, and helpers cost more processor time than they save. */
const TOOLS_FLAGS = ['--single-threaded-gc'];

/** Starts the process with Node. Its channel closes when this process ends, in whatever way. */
export const forkWithNode: ForkTools = (entry) => {
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: TOOLS_FLAGS,
    env: toolsEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return {
    post(message) {
      // After the process has ended, `exit` reports that.
      if (child.connected) child.send(message, () => {});
    },
    listen(message, ended) {
      child.on('message', message);
      let isReported = false;
      const report = (how: string) => {
        if (!isReported) ended(how);
        isReported = true;
      };
      child.once('error', (error) => report(error.message));
      child.once('exit', (code, signal) => report(signal ?? `code ${code}`));
    },
    hold(keepAlive) {
      if (keepAlive) {
        child.ref();
        child.channel?.ref();
      } else {
        child.unref();
        child.channel?.unref();
      }
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
};

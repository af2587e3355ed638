import { fork } from 'node:child_process';
import { plainEnvironment } from '../run-tool.ts';
import type { ToTools } from './process-messages.ts';

/** The process that runs the tools, as the one that started it has it. */
export interface ToolsChild {
  post(message: ToTools): void;
  /** `ended` is called once, also where the process could not be started. */
  listen(message: (message: unknown) => void, ended: (how: string) => void): void;
  /** Whether it keeps this process alive, where it would. */
  hold(held: boolean): void;
  /** Ends it at once. */
  kill(): void;
}

/** Starts a process with a module of ours; its entry finds its parent by itself. May throw. */
export type ForkTools = (entry: string) => ToolsChild;

/**
 * What a process of tools is given of the environment. glibc keeps a pool of memory for each of V8's threads, and what a
 * tool took stays in them: one pool for all is given back.
 */
export const toolsEnvironment = (): Record<string, string> => ({
  ...plainEnvironment(),
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
});

/**
 * Garbage is collected by the thread that makes it: the heaps are of some megabytes, for files and tools lie outside them, and
 * helpers beside them take more of the processor than they save.
 */
const TOOLS_FLAGS = ['--single-threaded-gc'];

/** With Node. Its channel closes with this process, however that ends. */
export const forkWithNode: ForkTools = (entry) => {
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: TOOLS_FLAGS,
    env: toolsEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return {
    post(message) {
      // What cannot be sent any more is told by its end.
      if (child.connected) child.send(message, () => {});
    },
    listen(message, ended) {
      child.on('message', message);
      let told = false;
      const tell = (how: string) => {
        if (!told) ended(how);
        told = true;
      };
      child.once('error', (error) => tell(error.message));
      child.once('exit', (code, signal) => tell(signal ?? `code ${code}`));
    },
    hold(held) {
      if (held) {
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

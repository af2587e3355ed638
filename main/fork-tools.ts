import { utilityProcess } from 'electron';
import { type ForkTools, toolsEnvironment } from '../server/toolchain/engines/embedded/fork-tools.ts';

/**
 * The process for the tools as one of Electron's own: its executable runs no module as Node does (a fuse sees to that).
 * Chromium ends it with the application.
 */
export const forkTools: ForkTools = (entry) => {
  const child = utilityProcess.fork(entry, [], {
    serviceName: 'Wishbench tools',
    stdio: 'ignore',
    env: toolsEnvironment(),
  });
  return {
    post: (message) => child.postMessage(message),
    listen(message, ended) {
      child.on('message', message);
      child.once('exit', (code) => ended(`code ${code}`));
    },
    // The application ends when it is told to.
    hold() {},
    kill() {
      child.kill();
    },
  };
};

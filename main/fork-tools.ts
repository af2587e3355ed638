import { utilityProcess } from 'electron';
import { type ForkTools, toolsEnvironment } from '../server/toolchain/engines/embedded/fork-tools.ts';

/**
 * Starts the tools' process through Electron, because a fuse stops its executable from running modules as Node does.
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
    // The application ends by command, so nothing must keep it alive.
    hold() {},
    kill() {
      child.kill();
    },
  };
};

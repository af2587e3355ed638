import { app } from 'electron';
import { systemClock } from '../server/clock.ts';
import { findDeepLink, setupDeepLinks } from './deep-links.ts';
import { createDesktop } from './desktop.ts';
import { setupCrashLog } from './logs.ts';
import { setupSingleInstance } from './single-instance.ts';

/**
 * Entry of Electron's main process. Whatever must happen before `ready` happens here, in order: the folder of the
 * logs, the lock that makes a second start focus the first, and the protocol of the deep links.
 */
app.setName('Wishbench');
const logs = setupCrashLog(app, systemClock);
const desktop = createDesktop({ logs, clock: systemClock });

if (setupSingleInstance(app, (argv) => desktop.activate(findDeepLink(argv)))) {
  setupDeepLinks(app, (command) => desktop.activate(command));
  // A top-level await on whenReady() would hang: Electron waits for this module before it becomes ready.
  void app.whenReady().then(() => desktop.start(findDeepLink(process.argv)));
} else {
  app.quit();
}

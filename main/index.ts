import { pathToFileURL } from 'node:url';
import type { App } from 'electron';
import { app } from 'electron';
import { systemClock } from '../server/clock.ts';
import { distPath } from '../server/paths.ts';
import { commandOf } from './command-line.ts';
import { findDeepLink, setupDeepLinks } from './deep-links.ts';
import { createDesktop } from './desktop.ts';
import { setupCrashLog } from './logs.ts';
import { APP_ID } from './notifications.ts';

/**
 * Takes the lock of the only running bench. False when another instance has it: that one gets our command line and
 * shows its window, and the caller quits.
 */
function setupSingleInstance(app: App, onSecondInstance: (argv: string[]) => void): boolean {
  if (!app.requestSingleInstanceLock()) return false;
  app.on('second-instance', (_event, argv) => onSecondInstance(argv));
  return true;
}

/**
 * Starts the window. Steps before `ready`, in order: the folder of the logs, the lock that makes a second start focus
 * the first, and the protocol of the deep links.
 */
function startDesktop(): void {
  app.setName('Wishbench');
  if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
  const logs = setupCrashLog(app, systemClock);
  const desktop = createDesktop({ logs, clock: systemClock });
  if (setupSingleInstance(app, (argv) => desktop.activate(findDeepLink(argv)))) {
    setupDeepLinks(app, (command) => desktop.activate(command));
    // A top-level await on whenReady() would hang: Electron waits for this module before it becomes ready.
    void app.whenReady().then(() => desktop.start(findDeepLink(process.argv)));
  } else {
    app.quit();
  }
}

/** Entry of Electron's main process: the command line where it was started with a command, else the window. */
const command = commandOf(process.argv, app.isPackaged);
if (command === null) startDesktop();
else {
  // The form of Node: the program, its file, then the words.
  process.argv = [process.execPath, 'wishbench', ...command];
  void import(pathToFileURL(distPath('server', 'cli.js')).href);
}

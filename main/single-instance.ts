import type { App } from 'electron';

/**
 * Takes the lock of the one running bench. Returns false when another instance has it: that one is told of our
 * command line and shows its window, and the caller quits.
 */
export function setupSingleInstance(app: App, onSecondInstance: (argv: string[]) => void): boolean {
  if (!app.requestSingleInstanceLock()) return false;
  app.on('second-instance', (_event, argv) => onSecondInstance(argv));
  return true;
}

/** What asks a program to end; SIGBREAK is Ctrl+Break, and is there on Windows only. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'];

/**
 * Keeps this process until its child has ended, and passes on what asks it to end. Not on Windows: the console sends
 * Ctrl+C, Ctrl+Break and its closing to both, and there `kill` ends a process at once, whatever the signal is.
 */
export function passSignals(child, platform = process.platform, own = process) {
  for (const signal of ENDING)
    own.on(signal, () => {
      if (platform !== 'win32') child.kill(signal);
    });
}

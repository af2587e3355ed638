/** Keeps a process until its child has ended, and passes on what asks it to end, save on Windows. */
export function passSignals(
  child: { kill(signal: NodeJS.Signals): unknown },
  platform?: NodeJS.Platform,
  own?: { on(signal: NodeJS.Signals, listener: () => void): unknown },
): void;

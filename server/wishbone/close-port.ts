import type { Duplex } from 'node:stream';

/** serialport's streams close with a method of their own, other streams with `destroy`. */
type Closable = Duplex & {
  isOpen?: boolean;
  closing?: boolean;
  close?: (done: (error: Error | null) => void) => void;
};

/** Closes a port that may be closing or closed already; resolves when it is closed. Never rejects. */
export function closePort(port: Duplex): Promise<void> {
  const closable: Closable = port;
  return new Promise((resolve) => {
    if (closable.close && closable.isOpen !== undefined) {
      if (closable.isOpen) {
        closable.close(() => resolve());
      } else if (closable.closing) {
        // Not open, but not closed yet: opening it again at this point would fail as busy.
        port.once('close', resolve);
        port.once('error', () => resolve());
      } else {
        resolve();
      }
    } else if (port.closed || port.destroyed) {
      resolve();
    } else {
      port.once('close', resolve);
      port.destroy();
    }
  });
}

import type { Duplex } from 'node:stream';

/** serialport's streams are closed by a method of their own, other streams by `destroy`. */
type Closable = Duplex & {
  isOpen?: boolean;
  closing?: boolean;
  close?: (done: (error: Error | null) => void) => void;
};

/** Closes a port that may be closed, closing, or gone, and resolves when it is closed; never rejects. */
export function closePort(port: Duplex): Promise<void> {
  const closable: Closable = port;
  return new Promise((resolve) => {
    if (closable.close && closable.isOpen !== undefined) {
      if (closable.isOpen) {
        closable.close(() => resolve());
      } else if (closable.closing) {
        // Not open any more, but not closed yet: who opened it again now would find it busy.
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

import type { Duplex } from 'node:stream';

/** serialport's streams are closed by a method of their own, other streams by `destroy`. */
type Closable = Duplex & { isOpen?: boolean; close?: (done: (error: Error | null) => void) => void };

/** Closes a port of either kind and waits until it is closed; one that is closed already is fine. */
export function closePort(port: Duplex): Promise<void> {
  const closable: Closable = port;
  return new Promise((resolve) => {
    if (closable.close && closable.isOpen !== undefined) {
      if (closable.isOpen) closable.close(() => resolve());
      else resolve();
    } else if (port.closed || port.destroyed) {
      resolve();
    } else {
      port.once('close', resolve);
      port.destroy();
    }
  });
}

import { useEffect } from 'react';
import type { BenchClient } from '../state/client/bench-client.ts';
import type { Overlay } from './overlay.ts';

/** Connects the page to the desktop application; does nothing in a browser. */
export function useDesktop(client: BenchClient, show: (overlay: Overlay) => void): void {
  useEffect(() => {
    const { desktop } = client;
    if (!desktop) return;
    let end: (() => void) | undefined;
    let over = false;
    void import('./desktop-commands.ts').then(({ followDesktop }) => {
      if (!over) end = followDesktop(desktop, client, show);
    });
    return () => {
      over = true;
      end?.();
    };
  }, [client, show]);
}

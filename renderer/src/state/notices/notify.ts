import type { BenchClient } from '../client/bench-client.ts';
import { addNotice, type Notice } from '../page/notices.ts';
import { currentRoute } from '../page/router.ts';
import { showToastEverywhere } from '../page/toasts.ts';

interface Showing {
  /** `new` shows only an event without a notice; `always` also one that this browser has, such as after a reload. */
  toast?: 'new' | 'always' | 'never';
  /** How long the toast stays, ms; `Infinity` until its reason has gone. */
  duration?: number;
  /** The toast takes the place of another one with this key. */
  toastKey?: string;
}

/** Adds a notice to the list and shows it as a toast on every page. */
export function notify(
  client: BenchClient,
  notice: Omit<Notice, 'at'>,
  { toast = 'new', duration, toastKey = notice.key }: Showing = {},
): void {
  const added = addNotice(client.notices, { ...notice, at: Date.now() });
  if (toast === 'never' || (toast === 'new' && !added)) return;
  showToastEverywhere(client.toasts, {
    ...{ ...notice, key: toastKey, unlisted: true },
    ...(duration !== undefined && { duration }),
  });
}

/** Whether the person sees this node: its own view shows what happens there. */
export function isOpenNode(id: number): boolean {
  const route = currentRoute();
  return route.kind === 'node' && route.node === id && document.visibilityState === 'visible';
}

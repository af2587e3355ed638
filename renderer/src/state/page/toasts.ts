import { createStore } from 'zustand/vanilla';
import { text } from '../../text/text.ts';

export interface Toast {
  id: number;
  tone: 'plain' | 'good' | 'bad';
  text: string;
  /** What to do about it. */
  remedy?: string;
  action?: { label: string; run(): void };
  /** How long it stays, in milliseconds; without it six seconds, and bad news until dismissed. */
  duration?: number;
}

/** How long an undo is offered, in milliseconds. */
const UNDO_DURATION = 10_000;

/** Notices without an answer, and the announcements for screen readers. */
interface ToastsState {
  toasts: readonly Toast[];
  /** Text of the polite live region. */
  announcement: string;
}

let nextId = 1;

export const createToastsStore = () => createStore<ToastsState>(() => ({ toasts: [], announcement: '' }));
type ToastsStore = ReturnType<typeof createToastsStore>;

/** Shows a toast and returns its id. Bad news stays until dismissed; the rest disappears after a while. */
export function showToast(store: ToastsStore, toast: Omit<Toast, 'id'>): number {
  const id = nextId++;
  store.setState(({ toasts }) => ({ toasts: [...toasts.slice(-3), { ...toast, id }] }));
  return id;
}

/** Says what was removed and offers for ten seconds to bring it back. */
export function offerUndo(store: ToastsStore, what: string, undo: () => void): number {
  return showToast(store, {
    tone: 'plain',
    text: what,
    action: { label: text.undo, run: undo },
    duration: UNDO_DURATION,
  });
}

export function dismissToast(store: ToastsStore, id: number): void {
  store.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

export function announce(store: ToastsStore, announcement: string): void {
  store.setState({ announcement });
}

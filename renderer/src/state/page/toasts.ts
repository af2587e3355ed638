import { createStore } from 'zustand/vanilla';
import { text } from '../../text/text.ts';
import type { About, Tone } from './notices.ts';

export interface Toast {
  id: number;
  tone: Tone;
  text: string;
  /** What to do about it. */
  remedy?: string;
  action?: { label: string; run(): void };
  about?: About;
  /** How long it stays, in milliseconds; `Infinity` until its reason has gone or the person dismisses it. */
  duration?: number;
  /** Names the event, so that one toast shows it and `retractToast` finds it. */
  key?: string;
  /** The page that it belongs to: it leaves with that page. Without it, it stays wherever the person goes. */
  page?: string;
  /** It is not in the list of notices. */
  unlisted?: boolean;
}

/** The key of a request that reached no service. */
export const UNREACHABLE = 'unreachable';

/** How long an undo is offered, in milliseconds. */
const UNDO_DURATION = 10_000;

/** The newest notices, and the announcements for screen readers. */
interface ToastsState {
  toasts: readonly Toast[];
  /** Text of the polite live region. */
  announcement: string;
  /** The page that the person sees; undefined at the start. */
  page: string | undefined;
}

let nextId = 1;

export const createToastsStore = () =>
  createStore<ToastsState>(() => ({ toasts: [], announcement: '', page: undefined }));
export type ToastsStore = ReturnType<typeof createToastsStore>;

/** Shows a toast of the current page and returns its id. */
export function showToast(store: ToastsStore, toast: Omit<Toast, 'id'>): number {
  const { page } = store.getState();
  return showToastEverywhere(store, { ...(page !== undefined && { page }), ...toast });
}

/** Shows a toast that stays on every page, and returns its id. It takes the place of one with the same key. */
export function showToastEverywhere(store: ToastsStore, toast: Omit<Toast, 'id'>): number {
  const id = nextId++;
  store.setState(({ toasts }) => ({
    toasts: [
      ...toasts.filter(({ key }) => key === undefined || key !== toast.key).slice(-3),
      { ...toast, id },
    ],
  }));
  return id;
}

/** Says what was removed and offers for ten seconds to bring it back. */
export function offerUndo(store: ToastsStore, what: string, undo: () => void): number {
  return showToast(store, {
    tone: 'plain',
    text: what,
    action: { label: text.undo, run: undo },
    duration: UNDO_DURATION,
    unlisted: true,
  });
}

export function dismissToast(store: ToastsStore, id: number): void {
  store.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

/** Removes a toast whose reason has gone. */
export function retractToast(store: ToastsStore, key: string): void {
  if (store.getState().toasts.some((toast) => toast.key === key))
    store.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.key !== key) }));
}

/** The person sees another page: the toasts of the page before leave. */
export function showPage(store: ToastsStore, page: string): void {
  store.setState(({ toasts }) => ({
    page,
    toasts: toasts.filter((toast) => toast.page === undefined || toast.page === page),
  }));
}

export function announce(store: ToastsStore, announcement: string): void {
  store.setState({ announcement });
}

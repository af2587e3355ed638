import { createStore } from 'zustand/vanilla';

export interface Toast {
  id: number;
  tone: 'plain' | 'good' | 'bad';
  text: string;
  /** What to do about it. */
  remedy?: string;
  action?: { label: string; run(): void };
}

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

export function dismissToast(store: ToastsStore, id: number): void {
  store.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));
}

export function announce(store: ToastsStore, announcement: string): void {
  store.setState({ announcement });
}

import { createStore } from 'zustand/vanilla';

export interface Toast {
  id: number;
  tone: 'plain' | 'good' | 'bad';
  text: string;
  /** What to do about it. */
  remedy?: string;
  action?: { label: string; run(): void };
}

/** Notices that need no answer, and what screen readers are told. */
interface ToastsState {
  toasts: readonly Toast[];
  /** Read out by the polite live region. */
  announcement: string;
}

let nextId = 1;

export const createToastsStore = () => createStore<ToastsState>(() => ({ toasts: [], announcement: '' }));
type ToastsStore = ReturnType<typeof createToastsStore>;

/** Bad news stays until it is put away; the rest leaves by itself. Returns the toast's id. */
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

import { addNotice, type NoticesStore } from '../page/notices.ts';
import type { ToastsStore } from '../page/toasts.ts';

/** Every toast becomes a notice, so that nothing is lost when it leaves; an offered undo does not. */
export const recordToasts = (store: NoticesStore, toasts: ToastsStore): (() => void) =>
  toasts.subscribe(({ toasts: now }, { toasts: before }) => {
    for (const toast of now) {
      if (toast.unlisted || before.includes(toast)) continue;
      const { id, key, tone, text, remedy, about } = toast;
      const at = Date.now();
      addNotice(store, {
        ...{ key: key ?? `toast ${at} ${id}`, at, tone, text },
        ...(remedy && { remedy }),
        ...(about && { about }),
      });
    }
  });

import { showToast, type ToastsStore } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';

/**
 * Copies text. Over plain HTTP on the LAN browsers have no clipboard interface; there a selection in a text field does
 * it.
 */
export async function copyPlain(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const field = document.createElement('textarea');
    const before = document.activeElement;
    field.value = value;
    field.className = 'sr-only';
    field.setAttribute('aria-hidden', 'true');
    (document.querySelector('dialog[open]') ?? document.body).append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}

/** Copies text and shows that it did. */
export async function copyWithToast(store: ToastsStore, value: string, copied = text.copied): Promise<void> {
  const done = await copyPlain(value);
  showToast(store, done ? { tone: 'good', text: copied } : { tone: 'bad', text: text.notCopied });
}

/** Saves a file: through the native dialog in the desktop application, as a download in a browser. */
export async function saveFile(name: string, contents: string | Uint8Array, type: string): Promise<void> {
  if (window.wishbench) {
    await window.wishbench.saveFile(name, contents);
    return;
  }
  const url = URL.createObjectURL(new Blob([contents as BlobPart], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

import { afterAll, vi } from 'vitest';

/**
 * For files that share a process with a document: the next one loads the modules of the GUI anew, and finds what a browser
 * shows that was just opened.
 */
afterAll(async () => {
  // A screen that is still loading would fail in the next file.
  await vi.dynamicImportSettled();
  vi.resetModules();
  document.body.replaceChildren();
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
  localStorage.clear();
  sessionStorage.clear();
  window.location.hash = '';
});

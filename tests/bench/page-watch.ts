import type { Page } from 'playwright-core';

/** What the page gathers about itself while it is measured. Times in milliseconds. */
export interface Watched {
  /** Durations of tasks over 50 ms. */
  tasks: number[];
  /** From one frame to the next. */
  frames: number[];
  /** From the start of the navigation until ten nodes were shown. */
  ready?: number;
}

// The page's own global, seen from this file's types.
declare const window: { bench: Watched };

/** Watches for long tasks and frames from the first script on; `window.bench` is read by the measurements. */
export const WATCH = `
  window.bench = { tasks: [], frames: [], ready: undefined };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.bench.tasks.push(entry.duration);
  }).observe({ type: 'longtask', buffered: true });
  let last;
  const frame = (now) => {
    if (last !== undefined) window.bench.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll('.rack .card-link').length < 10) return;
    window.bench.ready = performance.now();
    observer.disconnect();
  }).observe(document, { subtree: true, childList: true });
`;

export const watched = (page: Page): Promise<Watched> => page.evaluate(() => window.bench);

export const forget = (page: Page): Promise<void> =>
  page.evaluate(() => {
    window.bench.tasks = [];
    window.bench.frames = [];
  });

/**
 * Resolves when ten nodes are shown. The condition is a function: a string would be compiled in the page at every
 * look, which the page's policy (no `unsafe-eval`) forbids from the second look on.
 */
export async function shown(page: Page): Promise<void> {
  await page.waitForFunction(() => window.bench.ready !== undefined);
}

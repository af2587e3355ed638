import type { Browser, Page } from 'playwright-core';
import { atMost, type Figure, reported } from './figure.ts';

/** A page's measurements of itself. Times in milliseconds. */
export interface Watched {
  /** Durations of tasks over 50 ms. */
  tasks: number[];
  /** From one frame to the next. */
  frames: number[];
  /** Cumulative layout shift, without shifts after the user's own click. */
  shift: number;
  /** From the start of the navigation until ten nodes were shown. */
  ready?: number;
}

// The page's own global, seen from this file's types.
declare const window: { bench: Watched };

/** Watches for long tasks and frames from the first script on; `window.bench` is read by the measurements. */
export const WATCH = `
  window.bench = { tasks: [], frames: [], shift: 0, ready: undefined };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.bench.tasks.push(entry.duration);
  }).observe({ type: 'longtask', buffered: true });
  // The worst window of 5 s without a second of rest: https://web.dev/articles/cls
  let moved = { value: 0, first: 0, last: 0 };
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, startTime: at } of list.getEntries()) {
      if (hadRecentInput) continue;
      const goesOn = at - moved.last < 1000 && at - moved.first < 5000;
      moved = goesOn ? { ...moved, value: moved.value + value, last: at } : { value, first: at, last: at };
      window.bench.shift = Math.max(window.bench.shift, moved.value);
    }
  }).observe({ type: 'layout-shift', buffered: true });
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
    window.bench.shift = 0;
  });

/**
 * Resolves when ten nodes are shown. The condition is a function: the page would compile a string at every check, which
 * its policy (no `unsafe-eval`) forbids from the second one on.
 */
export async function shown(page: Page): Promise<void> {
  await page.waitForFunction(() => window.bench.ready !== undefined);
}

const TWO_FRAMES =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))';

/** Maximum task time that a user does not feel, ms of processor time. */
const LONG_TASK = 50;

/** An event of Chromium's trace: times in microseconds, `tdur` of the processor. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
}

/** A mark with which a page identifies its own thread among those of the browser's internal pages. */
const OWN_THREAD = 'wishbench page';

const isTraceEvent = (value: object): value is TraceEvent =>
  'name' in value && 'ph' in value && 'pid' in value && 'tid' in value;

/**
 * The longest task of the marked threads: its processor time and its wall time, ms.
 * @throws where none has, for then nothing was measured
 */
export function longestTask(events: readonly TraceEvent[]): { processor: number; wall: number } {
  const thread = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const own = new Set(events.filter(({ name }) => name === OWN_THREAD).map((event) => thread(event)));
  if (own.size === 0) throw new Error('no page has said which thread is its own');
  const tasks = events.filter(
    (event) => event.ph === 'X' && event.name === 'ThreadControllerImpl::RunTask' && own.has(thread(event)),
  );
  const longest = (pick: (event: TraceEvent) => number | undefined) =>
    tasks.reduce((most, event) => Math.max(most, (pick(event) ?? 0) / 1000), 0);
  return { processor: longest(({ tdur }) => tdur), wall: longest(({ dur }) => dur) };
}

/**
 * The longest task of the browser's pages during an action, in processor time: on a busy machine the rest of the time
 * is waiting.
 */
export async function tasksDuring(
  browser: Browser,
  what: string,
  work: () => Promise<unknown>,
): Promise<Figure[]> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) if (isTraceEvent(event)) events.push(event);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  });
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    // The pages' processes begin to record shortly after the browser reports it.
    await page.evaluate(TWO_FRAMES);
    await page.evaluate((mark) => performance.mark(mark), OWN_THREAD);
  }
  await work();
  const complete = new Promise<boolean>((resolve) =>
    session.once('Tracing.tracingComplete', ({ dataLossOccurred }) => resolve(dataLossOccurred)),
  );
  await session.send('Tracing.end');
  const lost = await complete;
  await session.detach();
  if (lost) throw new Error('the browser has lost a part of what it recorded');
  const { processor, wall } = longestTask(events);
  return [
    atMost(`${what}: longest task, of the processor`, processor, 'ms', LONG_TASK),
    reported('the same: as long as it took', wall, 'ms'),
  ];
}

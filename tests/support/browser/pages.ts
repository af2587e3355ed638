import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import {
  borrowBrowser,
  emptyPage,
  type OpenedPage,
  type PageOptions,
  PREPARE_TIMEOUT,
  returnBrowser,
  threshold,
  visit,
} from './browser.ts';

/** What tests listen to; the driver itself listens to other events. */
const LISTENED = ['console', 'pageerror', 'request', 'response', 'websocket'];

/**
 * Ends what a test did with a page: it has no listeners, routes and permissions, and its origin has stored nothing. It
 * stays on its origin: from anywhere else the next page would begin in another process.
 */
async function clear(page: Page): Promise<void> {
  for (const event of LISTENED) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(threshold(page.url()));
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.context().clearCookies();
  await page.context().clearPermissions();
}

/**
 * Pages that are used by one test after the other. A page that goes on has its process, its scripts and their code: it
 * takes a fraction of the processor time of one in a new context.
 */
class PagePool {
  readonly #free: { idle: boolean; page: Page }[] = [];
  readonly #used: { idle: boolean; page: Page }[] = [];

  async open(browser: Browser, url: string, options: PageOptions = {}): Promise<OpenedPage> {
    const { idle = false } = options;
    const at = this.#free.findIndex((one) => one.idle === idle);
    const [taken = { idle, page: await emptyPage(browser, idle) }] = at < 0 ? [] : this.#free.splice(at, 1);
    this.#used.push(taken);
    return visit(taken.page, url, options);
  }

  /** Clears the pages of a test for the next one, but for those that it has closed. */
  async release(): Promise<void> {
    await Promise.all(
      this.#used.splice(0).map(async (one) => {
        if (one.page.isClosed()) return;
        await clear(one.page);
        this.#free.push(one);
      }),
    );
  }

  /** Forgets all pages, whose contexts are closed. */
  forget(): void {
    this.#used.length = 0;
    this.#free.length = 0;
  }
}

interface TestPages {
  readonly browser: Browser;
  /** A page for this test, as of a visitor who has never been here before. */
  open(url: string, options?: PageOptions): Promise<OpenedPage>;
}

/** A browser for all tests of a `describe`; after one that failed all its pages are closed. */
export function startPages(): TestPages {
  let browser: Browser | undefined;
  const pool = new PagePool();
  const required = (): Browser => {
    if (browser === undefined) throw new Error('The browser is there when the first test begins.');
    return browser;
  };
  beforeAll(async () => {
    browser = await borrowBrowser();
  }, PREPARE_TIMEOUT);
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return pool.release();
    pool.forget();
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  afterAll(async () => {
    if (browser) await returnBrowser(browser);
  });
  return {
    get browser() {
      return required();
    },
    open: (url, options) => pool.open(required(), url, options),
  };
}

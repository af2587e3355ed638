import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const named = process.env['WISHBENCH_CHROMIUM'];

/** Debian's Chromium, or what WISHBENCH_CHROMIUM names. */
const CHROMIUM = named ?? '/usr/bin/chromium';

/**
 * Chromium without the windows, tabs and menus around a page, which take more than half of a page's processor time. It
 * runs and draws pages with the same code. If it is not installed, the whole Chromium is used.
 */
const SHELL = named ?? ['/usr/bin/chromium-headless-shell', CHROMIUM].find((file) => existsSync(file));

export const hasChromium = existsSync(CHROMIUM);

/** Milliseconds: a first build takes seconds on a free machine, and much longer on one that does a lot else. */
export const BUILD_TIMEOUT = 240_000;
export const E2E_TIMEOUT = 480_000;
/** Time for a bench to be ready: its designs are built in line with those of all other starting tests. */
export const PREPARE_TIMEOUT = 600_000;

/** For the tests in a browser. */
export const IN_BROWSER = { timeout: E2E_TIMEOUT };

/** Starts a browser of its own: the whole of Chromium by default. */
export const launchBrowser = (program = CHROMIUM, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });

/** How long a browser that no test file has waits for the next one, milliseconds. */
const IDLE = 30_000;

/**
 * A page lasts for seconds in the tests: what it calls a few hundred times is not worth to be optimised. Ten times the
 * counts of V8, which ignores a flag that it does not know; `--js-flags=--help` lists them.
 */
const COMPILES_LATE = ['--js-flags=--invocation-count-for-maglev=4000 --invocation-count-for-turbofan=30000'];

let kept: Promise<Browser> | undefined;
let ending: NodeJS.Timeout | undefined;

/** The browser of this process: its test files use it one by one, each with contexts of its own. */
export async function borrowBrowser(): Promise<Browser> {
  clearTimeout(ending);
  const browser = await kept?.catch(() => undefined);
  if (browser?.isConnected()) return browser;
  kept = launchBrowser(SHELL, COMPILES_LATE);
  return await kept;
}

/** Closes a test file's contexts in a borrowed browser, and the browser unless another file soon needs it. */
export async function returnBrowser(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
  ending = setTimeout(async () => {
    kept = undefined;
    await browser.close();
  }, IDLE);
}

/** Goes to an address after `#` without a reload. A page that misses its own files reloads by itself. */
export const goTo = async (page: Page, hash: string): Promise<void> => {
  const go = () => page.evaluate(`window.location.hash = ${JSON.stringify(hash)}; undefined`);
  await go().catch((error: unknown) => {
    if (!/Execution context was destroyed/.test(String(error))) throw error;
    // The old page is gone with the outcome, so the next page gets the address again.
    return go();
  });
};

/** Presses keys in quick succession, without waiting for the page's reaction. */
export const pressAll = async (page: Page, ...keys: string[]): Promise<void> => {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
};

/** A page's complaints: errors on the console, uncaught errors, requests to other hosts. */
interface Complaints {
  list: string[];
}

/** A user who has chosen to have no name: no prompt, and recorded as `anonymous`. */
const NOBODY = { nameAsked: true, windowName: '' };

/** A page that is never idle loads no screen ahead of time. */
const NEVER_IDLE = 'window.requestIdleCallback = () => 0;';

type Look = Pick<BrowserContextOptions, 'colorScheme' | 'forcedColors' | 'reducedMotion' | 'permissions'>;

export interface PageOptions extends Look {
  viewport?: { width: number; height: number };
  /** Is as for people: with animations and with loading ahead of time, which take a tenth of the browser tests. */
  idle?: boolean;
  /** A newcomer to the bench, who is asked for a name. */
  newcomer?: boolean;
  /** A user of this name. */
  as?: string;
}

export interface OpenedPage {
  page: Page;
  complaints: Complaints;
}

/**
 * How many times slower the pages' processor is: `WISHBENCH_SLOW_PAGES=6 npm test -- tests/acceptance/renderer` meets the races of a
 * slow computer on a fast one.
 */
const SLOWER = Number(process.env['WISHBENCH_SLOW_PAGES'] ?? 1);

/** An empty page in its own context. @param idle see `PageOptions` */
export async function emptyPage(browser: Browser, idle: boolean): Promise<Page> {
  const context = await browser.newContext();
  if (!idle) await context.addInitScript(NEVER_IDLE);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  if (SLOWER > 1) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  }
  return page;
}

/** A page of a service that is next to nothing: there a visitor's preferences are put down. */
export const threshold = (url: string): string => new URL('/health', url).href;

/** Goes to an address as a visitor who has never been there, and notes what the page complains about. */
export async function visit(
  page: Page,
  url: string,
  { idle, newcomer, as, viewport, permissions = [], ...media }: PageOptions,
): Promise<OpenedPage> {
  await page.setViewportSize(viewport ?? { width: 1280, height: 800 });
  await page.emulateMedia({
    colorScheme: 'light',
    forcedColors: 'none',
    // Spinners would be drawn sixty times a second, unseen.
    reducedMotion: idle ? 'no-preference' : 'reduce',
    ...media,
  });
  await page.context().grantPermissions([...permissions]);
  if (page.url() !== threshold(url)) await page.goto(threshold(url));
  const preferences = JSON.stringify(as === undefined ? NOBODY : { name: as });
  if (!newcomer)
    await page.evaluate(`localStorage.setItem('wishbench.preferences', ${JSON.stringify(preferences)})`);
  const complaints: Complaints = { list: [] };
  const origin = new URL(url).origin;
  page.on('pageerror', (error) => complaints.list.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // A service that is away, or refuses, is the page's business and not its mistake.
    if (message.type() === 'error' && !/Failed to load resource|ERR_CONNECTION_REFUSED/.test(message.text()))
      complaints.list.push(message.text());
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(origin))
      complaints.list.push(`asked another host: ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}

/** A page in its own context, with its complaints. */
export const openPage = async (
  browser: Browser,
  url: string,
  options: PageOptions = {},
): Promise<OpenedPage> => visit(await emptyPage(browser, options.idle ?? false), url, options);

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Debian's Chromium, or what WISHBENCH_CHROMIUM names. */
export const CHROMIUM = process.env['WISHBENCH_CHROMIUM'] ?? '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);

/** Milliseconds: a first build takes seconds on a free machine, and much longer on one that does a lot else. */
export const BUILD_TIMEOUT = 120_000;
export const E2E_TIMEOUT = 240_000;

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** Goes to an address behind `#` without loading the page again. */
export const goTo = (page: Page, hash: string): Promise<void> =>
  page.evaluate(`window.location.hash = ${JSON.stringify(hash)}; undefined`);

/** What a page complained of: errors on the console, uncaught errors, requests to other hosts. */
export interface Complaints {
  list: string[];
}

/** A page of its own context, with everything it complains of. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: Complaints }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
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

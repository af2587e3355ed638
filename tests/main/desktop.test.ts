import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DesktopBridge } from '../../preload/bridge.ts';
import { appRoot, resourcePath } from '../../server/paths.ts';
import { type LaunchedApp, launchApp } from './standin/launch.mjs';

// The page's own globals, seen from this file's types.
declare const window: { wishbench: DesktopBridge; open(url: string): unknown; location: { href: string } };

const env = { WISHBENCH_PORT: '0' };
const userData = mkdtempSync(path.join(tmpdir(), 'wishbench-desktop-'));
const echo = readFileSync(resourcePath('examples', 'echo.v'));

let app: LaunchedApp;
let page: Page;
let origin = '';
let token = '';

/** Polls until `probe` answers something; the test's own deadline ends it. */
async function until<T>(probe: () => Promise<T | false | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const calls = (name: string): Promise<unknown[][]> =>
  app.evaluate(
    ({ calls: all }, wanted) =>
      all
        .filter((call: { name: string }) => call.name === wanted)
        .map(({ args }: { args: unknown[] }) =>
          args.map((arg) => (typeof arg === 'function' ? 'function' : arg)),
        ),
    name,
  );

async function submit(node: number, source: string | Buffer, name = 'echo.v'): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(Buffer.from(source))]), name);
  const answer = await fetch(`${origin}/fpga/${node}/submit`, {
    method: 'POST',
    body: form,
    headers: { 'X-Operator-Token': token },
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { job_id: string }).job_id;
}

const state = async (node: number): Promise<string> =>
  ((await (await fetch(`${origin}/fpga/${node}`)).json()) as { state: string }).state;

beforeAll(async () => {
  app = await launchApp({ appDir: appRoot, env, userData });
  process.stdout.write(`desktop tests run in: ${app.kind}\n`);
  page = await app.firstWindow();
  await page.getByRole('link', { name: /Node 9/ }).waitFor({ state: 'attached' });
  origin = new URL(page.url()).origin;
  token = await page.evaluate(() => window.wishbench.operatorToken());
}, 60_000);

afterAll(async () => {
  if (app.process.exitCode === null) app.process.kill('SIGKILL');
  await app.exit;
  rmSync(userData, { recursive: true, force: true, maxRetries: 10 });
});

describe('the window', () => {
  test('shows the ten nodes of the service that this very process hosts', async () => {
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await page.getByRole('link', { name: /^Node \d/ }).count()).toBe(10);
  });

  test('is isolated: nothing of Node or of the preload script is in the page', async () => {
    const seen = await page.evaluate(() =>
      ['require', 'process', 'module', 'ipcRenderer', 'electron', 'Buffer'].filter(
        (name) => name in globalThis,
      ),
    );
    expect(seen).toEqual([]);
    expect(await page.evaluate(() => Object.isFrozen(window.wishbench))).toBe(true);
  });

  test('is an operator by a token that is nowhere on disk and in no address', async () => {
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(page.url()).not.toContain(token);
    const files = readdirSync(userData, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    const holding = files.filter((file) => readFileSync(file).includes(token));
    expect(holding).toEqual([]);
    const settings = await fetch(`${origin}/settings`, { headers: { 'X-Operator-Token': token } });
    expect(settings.status).toBe(200);
  });

  test('may not leave the bench, open windows or ask for permissions', async () => {
    await page.evaluate(() => window.open('https://example.org/docs'));
    await until(async () =>
      (await calls('shell.openExternal')).some(([url]) => url === 'https://example.org/docs'),
    );
    await page.evaluate(() => {
      window.location.href = 'http://127.0.0.1:1/elsewhere';
    });
    await until(async () =>
      (await calls('shell.openExternal')).some(([url]) => url === 'http://127.0.0.1:1/elsewhere'),
    );
    await page.evaluate(() => window.open('file:///etc/passwd'));
    expect(new URL(page.url()).origin).toBe(origin);
    expect((await calls('shell.openExternal')).some(([url]) => String(url).startsWith('file:'))).toBe(false);
    for (const name of [
      'setPermissionRequestHandler',
      'setPermissionCheckHandler',
      'setDevicePermissionHandler',
    ])
      expect((await calls(`session.${name}`)).length).toBe(1);
  });

  test('refuses messages whose payload is malformed', async () => {
    const refused = (work: string): Promise<string> =>
      page.evaluate(`${work}.then(() => 'taken', (error) => error.message)`);
    for (const work of [
      'window.wishbench.watchFile(10, "/tmp/a.v")',
      'window.wishbench.watchFile("3", "/tmp/a.v")',
      'window.wishbench.openExternal("file:///etc/passwd")',
      'window.wishbench.changeDesktopSettings({theme: "pink"})',
      'window.wishbench.changeDesktopSettings({unknown: 1})',
      'window.wishbench.readRecentFile("")',
    ])
      expect(await refused(work)).toMatch(/malformed/);
    expect(await page.evaluate(() => window.wishbench.readRecentFile('/etc/passwd'))).toBeNull();
  });
});

describe('menu and deep links', () => {
  const press = (id: string) =>
    app.evaluate(({ Menu }, item) => Menu.getApplicationMenu().getMenuItemById(item).click(), id);

  test('menu items take the window to its views', async () => {
    for (const view of ['jobs', 'boards', 'settings'] as const) {
      await press(view);
      await page.waitForURL(new RegExp(`#/${view}$`));
    }
    await press('bench');
    await page.waitForURL(/#\/$/);
  });

  test('a second start ends at once, and the first shows its window and follows the link', async () => {
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].hide());
    const second = await launchApp({ appDir: appRoot, env, userData, args: ['wishbench://node/3'] });
    expect(await second.exit).toBe(0);
    await page.waitForURL(/#\/node\/3/);
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].isVisible())).toBe(
      true,
    );
  });

  test('logs are shown in their folder, and a system report has no secrets', async () => {
    await press('logs');
    await until(async () =>
      (await calls('shell.openPath')).some(([folder]) => folder === path.join(userData, 'logs')),
    );
    const report = await page.evaluate(() => window.wishbench.systemReport(false));
    expect(report).toMatch(/Wishbench \d/);
    expect(report).toContain('## Boards');
    expect(report).not.toContain(token);
  });
});

describe('while a design is built', () => {
  test('the taskbar shows progress, the computer stays awake, tray and notification tell', async () => {
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].hide());
    await submit(3, echo);
    await until(async () => (await state(3)) === 'reserved');
    const progress = await until(async () => {
      const seen = (await calls('window.setProgressBar')).map(([fraction]) => fraction as number);
      return seen.some((fraction) => fraction > 0) && seen.at(-1) === -1 && seen;
    });
    expect(progress.every((fraction) => fraction === -1 || (fraction >= 0 && fraction <= 1))).toBe(true);
    expect((await calls('powerSaveBlocker.start')).length).toBeGreaterThan(0);
    await until(
      async () =>
        (await calls('powerSaveBlocker.stop')).length === (await calls('powerSaveBlocker.start')).length,
    );
    expect((await calls('Notification.show')).map(([title]) => title)).toContain('Node 3: echo.v is running');
    const tray = await app.evaluate(({ Tray }) => ({
      tooltip: Tray.all[0].tooltip,
      items: Tray.all[0].menu.items.map((item: { label: string }) => item.label),
    }));
    expect(tray.tooltip).toBe('Wishbench: 1 reserved');
    expect(tray.items.some((label: string) => label.startsWith('▣ Node 3: reserved'))).toBe(true);
  }, 60_000);

  test('a notification opens its node', async () => {
    await app.evaluate(({ BrowserWindow, Notification }) => {
      BrowserWindow.getAllWindows()[0].webContents.send('wishbench:command', {
        type: 'open-view',
        view: 'bench',
      });
      Notification.shown.at(-1).emit('click');
    });
    await page.waitForURL(/#\/node\/3/);
  });

  test('a watched file is submitted again whenever it is saved', async () => {
    const file = path.join(userData, 'mine.v');
    writeFileSync(file, echo);
    await page.evaluate((name) => window.wishbench.watchFile(5, name), file);
    writeFileSync(file, `${echo}\n// first save\n`);
    await until(async () => (await state(5)) === 'reserved');
    writeFileSync(file, `${echo}\n// second save\n`);
    const builds = await until(async () => {
      const jobs = (await (await fetch(`${origin}/fpga/5/jobs`)).json()) as {
        type: string;
        status: string;
      }[];
      const done = jobs.filter((job) => job.type === 'build_and_program' && job.status === 'complete');
      return done.length === 2 && done;
    });
    expect(builds).toHaveLength(2);
    expect(await page.evaluate(() => window.wishbench.watchedFiles())).toMatchObject([
      { fpga_id: 5, path: file },
    ]);
    await page.evaluate(() => window.wishbench.unwatchFile(5));
  }, 60_000);
});

describe('closing and quitting', () => {
  test('a port that is taken is said in a dialog that offers a free one', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const other = mkdtempSync(path.join(tmpdir(), 'wishbench-desktop-'));
    // The stand-in answers every dialog with its first button, which is the safe one: a free port.
    const second = await launchApp({
      appDir: appRoot,
      env: { WISHBENCH_PORT: String((taken.address() as AddressInfo).port) },
      userData: other,
    });
    const its = await second.firstWindow();
    await its.getByRole('link', { name: /Node 0/ }).waitFor({ state: 'attached' });
    expect(new URL(its.url()).port).not.toBe(String((taken.address() as AddressInfo).port));
    expect(await second.close()).toBe(0);
    taken.close();
    rmSync(other, { recursive: true, force: true });
  }, 60_000);

  test('closing the window while a job runs keeps the bench serving in the tray', async () => {
    const job = await submit(7, `${echo}\n// keeps the bench busy\n`);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].close());
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].isVisible())).toBe(
      false,
    );
    const ended = await until(async () => {
      const seen = (await (await fetch(`${origin}/fpga/7/jobs/${job}?wait=30`)).json()) as { status: string };
      return seen.status !== 'queued' && seen.status !== 'running' && seen.status;
    });
    expect(ended).toBe('complete');
  }, 60_000);

  test('quitting while a job runs asks once, and the safe answer keeps running', async () => {
    await app.evaluate(({ dialog }) => {
      (globalThis as { asked?: unknown[] }).asked = [];
      dialog.showMessageBox = async (...args: unknown[]) => {
        (globalThis as unknown as { asked: unknown[] }).asked.push(args.at(-1));
        return { response: 0 };
      };
    });
    const job = await submit(8, `${echo}\n// and once more\n`);
    await app.evaluate(({ app: electron }) => electron.quit());
    const asked = await until(async () => {
      const seen = await app.evaluate(
        () => (globalThis as unknown as { asked: { buttons: string[] }[] }).asked,
      );
      return seen.length > 0 && seen;
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.buttons[0]).toBe('Keep running');
    await until(async () => {
      const seen = (await (await fetch(`${origin}/fpga/8/jobs/${job}?wait=30`)).json()) as { status: string };
      return seen.status === 'complete';
    });
  }, 60_000);

  test('with nothing to lose it quits cleanly, and the next start has the sessions and the window’s place', async () => {
    await app.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0].show();
      BrowserWindow.getAllWindows()[0].setBounds({ x: 40, y: 60, width: 1200, height: 700 });
    });
    expect(await app.close()).toBe(0);
    app = await launchApp({ appDir: appRoot, env, userData });
    page = await app.firstWindow();
    await page.getByRole('link', { name: /Node 3, reserved/i }).waitFor({ state: 'attached' });
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].getBounds())).toEqual({
      x: 40,
      y: 60,
      width: 1200,
      height: 700,
    });
    expect(await app.close()).toBe(0);
  }, 60_000);
});

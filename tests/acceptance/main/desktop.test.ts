import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DesktopBridge, SavedFile } from '../../../preload/bridge.ts';
import { createClient } from '../../../server/contract/client/client.ts';
import { findDataFolder } from '../../../server/data-folder.ts';
import { appRoot, resourcePath } from '../../../server/paths.ts';
import { runCliProcess } from '../../support/api/cli-process.ts';
import { keepBuilt } from '../../support/built.ts';
import { type LaunchedApp, launchApp } from '../../support/main/standin/launch.mjs';

// The page's own globals, seen from this file's types.
declare const window: {
  wishbench: DesktopBridge;
  open(url: string): unknown;
  location: { href: string };
  saves: string[];
};

const userData = mkdtempSync(path.join(tmpdir(), 'wishbench-desktop-'));
/** A user of this computer without a bench and without a data directory. */
const env = {
  WISHBENCH_PORT: '0',
  WISHBENCH_DATA: '',
  XDG_DATA_HOME: path.join(userData, 'share'),
  XDG_CONFIG_HOME: path.join(userData, 'config'),
  LOCALAPPDATA: path.join(userData, 'local'),
  APPDATA: path.join(userData, 'roaming'),
  ...(process.platform === 'darwin' ? { HOME: userData } : {}),
};
const { folder: data } = findDataFolder(undefined, [], {
  platform: process.platform,
  environment: env,
  home: userData,
  exists: existsSync,
});
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

/** The service for a second caller besides the window. */
const service = () => createClient({ base: origin, headers: () => ({ 'x-operator-token': token }) });

async function submit(fpga_id: number, contents: string | Uint8Array): Promise<string> {
  const body = { file: { name: 'echo.v', contents } };
  return (await service().submitDesign({ fpga_id, body })).job_id;
}

const state = async (fpga_id: number) => (await service().getNode({ fpga_id })).state;

/** Presses an item of the application's menu. */
const press = (id: string) =>
  app.evaluate(({ Menu }, item) => Menu.getApplicationMenu().getMenuItemById(item).click(), id);

const hideWindow = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].hide());

/** The next contents of the saved file; the first are those of the example. */
const SAVED = `${echo}\n// saved\n`;

beforeAll(async () => {
  // The first as in tests/integration/server/cli/serve.test.ts: built once for both.
  const mine = { filename: 'echo.v', options: { timing_target_mhz: 12 } };
  await keepBuilt(data, [
    { ...mine, source: echo },
    { ...mine, source: SAVED },
  ]);
  app = await launchApp({ appDir: appRoot, env, userData });
  process.stdout.write(`desktop tests run in: ${app.kind}\n`);
  page = await app.firstWindow();
  await page.getByRole('link', { name: /Node 9/ }).waitFor({ state: 'attached' });
  origin = new URL(page.url()).origin;
  token = await page.evaluate(() => window.wishbench.operatorToken());
}, 600_000);

afterAll(async () => {
  if (app.process.exitCode === null) app.process.kill('SIGKILL');
  await app.exit;
  rmSync(userData, { recursive: true, force: true, maxRetries: 10 });
});

describe('the window', () => {
  test('shows the ten nodes of the service that this process hosts', async () => {
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await page.getByRole('link', { name: /^Node \d/ }).count()).toBe(10);
  });

  test('shares its data directory with the command line, which reports the process that uses it', async () => {
    expect(existsSync(path.join(data, 'bench.json'))).toBe(true);
    const { code, stdout, stderr } = await runCliProcess(['serve', '--port', '0'], env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${data} is in use by another instance (process ${app.process.pid}).`);
  });

  test('isolates the page from Node and the preload script', async () => {
    const seen = await page.evaluate(() =>
      ['require', 'process', 'module', 'ipcRenderer', 'electron', 'Buffer'].filter(
        (name) => name in globalThis,
      ),
    );
    expect(seen).toEqual([]);
    expect(await page.evaluate(() => Object.isFrozen(window.wishbench))).toBe(true);
  });

  test('is an operator by a token that is neither on disk nor in an address', async () => {
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(page.url()).not.toContain(token);
    const files = readdirSync(userData, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    const holding = files.filter((file) => readFileSync(file).includes(token));
    expect(holding).toEqual([]);
    expect((await service().getStatus()).caller.operator).toBe(true);
  });

  test('cannot navigate away, open windows or request permissions', async () => {
    await page.evaluate(() => window.open('file:///etc/passwd'));
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
    expect(new URL(page.url()).origin).toBe(origin);
    expect((await calls('shell.openExternal')).some(([url]) => String(url).startsWith('file:'))).toBe(false);
    for (const name of [
      'setPermissionRequestHandler',
      'setPermissionCheckHandler',
      'setDevicePermissionHandler',
    ])
      expect((await calls(`session.${name}`)).length).toBe(1);
  });

  test('rejects messages with a malformed payload', async () => {
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
    expect(await refused('window.wishbench.watchFile(3, "/etc/passwd")')).toMatch(
      /passwd is not an HDL source/,
    );
    expect(await page.evaluate(() => window.wishbench.readRecentFile('/etc/passwd'))).toBeNull();
  });
});

describe('menu and deep links', () => {
  test('About shows the service’s address and the data directory', async () => {
    await app.evaluate(({ dialog, calls: all }) => {
      dialog.showMessageBox = async (...args: unknown[]) => {
        all.push({ name: 'about', args: [args.at(-1)] });
        return { response: 0 };
      };
    });
    await press('about');
    const [about] = await until(async () => {
      const seen = await calls('about');
      return seen.length > 0 && seen;
    });
    expect(about?.[0]).toMatchObject({
      detail: expect.stringContaining(`${origin}\nData directory: ${data}`),
    });
  });

  test('menu items open their views', async () => {
    for (const view of ['jobs', 'boards', 'settings'] as const) {
      await press(view);
      await page.waitForURL(new RegExp(`#/${view}$`));
    }
    await press('bench');
    await page.waitForURL(/#\/$/);
  });

  test('a second start ends at once, and the first shows its window and follows the link', async () => {
    await hideWindow();
    const second = await launchApp({ appDir: appRoot, env, userData, args: ['wishbench://node/3'] });
    expect(await second.exit).toBe(0);
    await page.waitForURL(/#\/node\/3/);
    await until(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].isVisible()));
  });

  test('shows logs in their folder, and a system report contains no secrets', async () => {
    await press('logs');
    await until(async () =>
      (await calls('shell.openPath')).some(([folder]) => folder === path.join(userData, 'logs')),
    );
    const report = await page.evaluate(() => window.wishbench.systemReport(false));
    expect(report).toMatch(/Wishbench \d/);
    expect(report).toContain('## Boards');
    expect(report).toContain(`Data directory ${data}`);
    expect(report).not.toContain(token);
  });
});

describe('while a design is built', () => {
  test('the taskbar shows progress, the computer stays awake, and tray and notification report the result', async () => {
    await hideWindow();
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
    await expect
      .poll(async () => (await calls('Notification.show')).map(([title]) => title))
      .toContain('Node 3: echo.v is running');
    await expect.poll(() => app.evaluate(({ Tray }) => Tray.all[0].tooltip)).toBe('Wishbench: 1 reserved');
    const items = () =>
      app.evaluate(({ Tray }) => Tray.all[0].menu.items.map(({ label }: { label: string }) => label));
    await expect.poll(items).toContainEqual(expect.stringMatching(/^▣ Node 3: reserved/));
  });

  test('a notification opens its node', async () => {
    await press('bench');
    await page.waitForURL(/#\/$/);
    await app.evaluate(({ Notification }) => Notification.shown.at(-1).emit('click'));
    await page.waitForURL(/#\/node\/3/);
  });
});

describe('a file that is watched', () => {
  test('is passed to the page on every save, even while its window is hidden', async () => {
    const file = path.join(userData, 'watched.v');
    writeFileSync(file, echo);
    await page.evaluate((name) => {
      window.saves = [];
      const note = ({ fpga_id, file: saved }: SavedFile) =>
        window.saves.push(`${fpga_id} ${saved.name} ${new TextDecoder().decode(saved.contents).slice(-9)}`);
      window.wishbench.onSavedFile(note);
      return window.wishbench.watchFile(6, name);
    }, file);
    expect(await page.evaluate(() => window.wishbench.watchedFiles())).toEqual([
      { fpga_id: 6, path: file, problem: null },
    ]);
    for (const mark of ['// first ', '// second']) {
      writeFileSync(file, `${echo}${mark}`);
      await until(() =>
        page.evaluate((wanted) => window.saves.at(-1) === wanted, `6 watched.v ${mark.slice(-9)}`),
      );
      await hideWindow();
    }
    await page.evaluate(() => window.wishbench.unwatchFile(6));
    expect(await page.evaluate(() => window.wishbench.watchedFiles())).toEqual([]);
  });

  test('is resubmitted by the window’s user, over its own session, with the options of the form', async () => {
    const file = path.join(userData, 'echo.v');
    writeFileSync(file, echo);
    await app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] });
    }, file);
    await page.evaluate(() => {
      window.location.href = '#/node/5';
    });
    await page.waitForURL(/#\/node\/5/);
    await press('submit');
    await page.getByText('Options', { exact: true }).click();
    await page.getByLabel('Timing target').fill('12');
    await page.getByLabel('Submit on every save').click();
    await page.getByRole('button', { name: 'Submit to node 5' }).click();
    await until(async () => (await state(5)) === 'reserved');
    const { session } = await service().getNode({ fpga_id: 5 });

    await hideWindow();
    writeFileSync(file, SAVED);
    const builds = await until(async () => {
      const jobs = (await service().listJobs({ limit: 100 })).filter(
        ({ fpga_id, type, status }) => fpga_id === 5 && type === 'build_and_program' && status === 'complete',
      );
      return jobs.length === 2 && (await state(5)) === 'reserved' && jobs;
    });
    for (const { owner, submit: sent } of builds) {
      expect(owner).toBe(session?.owner);
      expect(sent).toMatchObject({ filename: 'echo.v', options: { timing_target_mhz: 12 } });
    }
    expect(builds.map(({ submit: sent }) => sent?.size).sort()).toEqual([echo.length, echo.length + 10]);
    const saved = await service().getNode({ fpga_id: 5 });
    expect(saved.session?.owner).toBe(session?.owner);
    expect(saved.session?.session_id).not.toBe(session?.session_id);
    await page.evaluate(() => window.wishbench.unwatchFile(5));
  });
});

describe('closing and quitting', () => {
  test('a port that is in use opens a dialog that offers a free one', async () => {
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
  });

  test('closing the window during a job keeps the bench in the tray; quitting asks once, and the safe answer keeps it running', async () => {
    await app.evaluate(({ dialog, calls: all }) => {
      dialog.showMessageBox = async (...args: unknown[]) => {
        all.push({ name: 'dialog.showMessageBox', args: [args.at(-1)] });
        return { response: 0 };
      };
    });
    // Other names: an earlier placement of the example does not serve it.
    const job = await submit(7, echo.toString().replaceAll('memory', 'busy'));
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].close());
    await expect
      .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].isVisible()))
      .toBe(false);
    await app.evaluate(({ app: electron }) => electron.quit());
    // The first hint on the tray is a dialog too.
    const questions = async () =>
      (await calls('dialog.showMessageBox')).flat().filter((one) => JSON.stringify(one).includes('"Quit"'));
    await expect
      .poll(questions)
      .toEqual([expect.objectContaining({ buttons: ['Keep running', 'Quit'], defaultId: 0 })]);
    // It still runs, in a service that answers.
    const which = { fpga_id: 7, job_id: job };
    expect((await service().getJob(which)).status).toBe('running');
    await service().stopJob(which);
    expect(await service().jobEnded(which)).toMatchObject({ failure: { error: 'stopped_by_user' } });
  });

  test('without work to lose it quits cleanly; the next start restores sessions and window position', async () => {
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
  });
});

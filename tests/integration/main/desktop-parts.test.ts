import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { BenchEvent } from '../../../server/contract/events/events.ts';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import { overallFraction } from '../../../server/contract/jobs/progress.ts';
import type { NodeView } from '../../../server/contract/nodes/nodes.ts';
import { silentLogger } from '../../../server/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary.ts';

// The functions under test need no Electron; importing the real package would start its download.
vi.mock('electron', () => ({
  BrowserWindow: class {},
  dialog: {},
  ipcMain: {},
  Menu: {},
  Notification: class {},
  nativeImage: {},
  powerSaveBlocker: {},
  screen: {},
  shell: {},
  Tray: class {},
}));

const { ActivityWatch, readActivity } = await import('../../../main/activity.ts');
const { findDeepLink, parseDeepLink } = await import('../../../main/deep-links.ts');
const { DEFAULT_DESKTOP_SETTINGS, openDesktopSettings } = await import('../../../main/desktop-settings.ts');
const { isOurPage } = await import('../../../main/ipc/handlers.ts');
const { RotatingFile } = await import('../../../main/logs.ts');
const { menuTemplate } = await import('../../../main/menu.ts');
const { quitQuestion } = await import('../../../main/quit-guard.ts');
const { setupSecurity } = await import('../../../main/security.ts');
const { systemReport } = await import('../../../main/system-report.ts');
const { redact } = await import('../../../server/report/redact.ts');
const { describeNodes, trayMenu } = await import('../../../main/tray.ts');
const { checkForUpdate, isNewer } = await import('../../../main/updates.ts');
const { visibleBounds } = await import('../../../main/window.ts');

const JOB_ID = '0b9d8a3e-5d1f-4c0e-9f53-2f5b7c1f0a11';
const folder = () => temporaryFolder('main');

const node = (fpga_id: number, state: NodeView['state'], owner?: string): NodeView => ({
  fpga_id,
  state,
  session: owner ? { session_id: JOB_ID, fpga_id, owner, expires_at: '2030-01-01T00:00:00.000Z' } : null,
  current_job_id: null,
  error: null,
  resetting: false,
  board: {
    slot: fpga_id,
    id: `virtual:${fpga_id}`,
    kind: 'virtual',
    definition: 'virtual-hx8k',
    name: 'Virtual',
    present: true,
  },
  design: null,
  last_job_id: null,
  last_build: null,
  control_requests: [],
  replacement: null,
});

const job = (fields: Partial<Job>): Job => ({
  job_id: JOB_ID,
  fpga_id: 3,
  type: 'build_and_program',
  status: 'running',
  created_at: '2030-01-01T00:00:00.000Z',
  updated_at: '2030-01-01T00:00:00.000Z',
  owner: 'alice',
  ...fields,
});

test('the window’s page may fill the screen and copy, and notify while the setting is on; nothing else', () => {
  let notifications = true;
  let check: (contents: null, permission: string, origin: string) => boolean = () => false;
  let request: (
    contents: null,
    permission: string,
    answer: (allowed: boolean) => void,
    details: { requestingUrl: string },
  ) => void = () => {};
  const session = {
    setPermissionCheckHandler: (handler: typeof check) => (check = handler),
    setPermissionRequestHandler: (handler: typeof request) => (request = handler),
    setDevicePermissionHandler: () => {},
  };
  setupSecurity(
    { on: () => {} } as never,
    session as never,
    { origin: () => 'http://127.0.0.1:8000', mayNotify: () => notifications },
    silentLogger,
  );
  const asked = (permission: string, url: string) => {
    let allowed: boolean | undefined;
    request(null, permission, (answer) => (allowed = answer), { requestingUrl: url });
    expect(check(null, permission, url)).toBe(allowed);
    return allowed;
  };
  expect(asked('notifications', 'http://127.0.0.1:8000/')).toBe(true);
  expect(asked('notifications', 'http://127.0.0.1:8001/')).toBe(false);
  expect(asked('notifications', 'not an address')).toBe(false);
  for (const permission of ['fullscreen', 'automatic-fullscreen', 'clipboard-sanitized-write']) {
    expect(asked(permission, 'http://127.0.0.1:8000/')).toBe(true);
    expect(asked(permission, 'http://127.0.0.1:8001/')).toBe(false);
  }
  for (const permission of ['geolocation', 'clipboard-read', 'media'])
    expect(asked(permission, 'http://127.0.0.1:8000/')).toBe(false);
  notifications = false;
  expect(asked('notifications', 'http://127.0.0.1:8000/')).toBe(false);
});

describe('deep links', () => {
  test('open nodes and jobs, and nothing else', () => {
    expect(parseDeepLink('wishbench://node/3')).toEqual({ kind: 'open-node', fpga_id: 3 });
    expect(parseDeepLink('WISHBENCH://Node/9/')).toEqual({ kind: 'open-node', fpga_id: 9 });
    expect(parseDeepLink(`wishbench://job/${JOB_ID.toUpperCase()}`)).toEqual({
      kind: 'open-job',
      job_id: JOB_ID,
    });
    for (const wrong of [
      'wishbench://node/10',
      'wishbench://node/',
      'wishbench://job/1',
      'https://node/3',
      'wishbench://node/3?x=1',
      'wishbench://node/3/../../etc',
    ])
      expect(parseDeepLink(wrong)).toBeNull();
  });
  test('are found among other arguments', () => {
    expect(findDeepLink(['/opt/wishbench', '--flag', 'wishbench://node/0'])).toEqual({
      kind: 'open-node',
      fpga_id: 0,
    });
    expect(findDeepLink(['/opt/wishbench'])).toBeNull();
  });
});

describe('window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 };
  test('comes back where it was', () => {
    const kept = { x: 100, y: 50, width: 1300, height: 800 };
    expect(visibleBounds(kept, [screen])).toEqual(kept);
  });
  test('is centred at its minimum size when its display is disconnected', () => {
    expect(visibleBounds({ x: 4000, y: 50, width: 300, height: 200 }, [screen])).toEqual({
      width: 960,
      height: 600,
    });
  });
});

describe('quitting', () => {
  test('asks nothing when no job is on the bench: sessions survive a restart', () => {
    expect(
      quitQuestion({ nodes: [node(0, 'reserved', 'alice')], jobs: [], progress: null, programming: false }),
    ).toBeNull();
  });
  test('lists what would be lost and assigns the safe answer to Enter and Escape', () => {
    const question = quitQuestion({
      nodes: [node(3, 'building'), node(4, 'reserved', 'bob')],
      jobs: [job({}), job({ status: 'queued' })],
      progress: 0.5,
      programming: false,
    });
    expect(question?.buttons?.[question.defaultId ?? -1]).toBe('Keep running');
    expect(question?.cancelId).toBe(question?.defaultId);
    expect(question?.detail).toMatch(/1 running job.*failed[\s\S]*1 queued job[\s\S]*1 session/);
  });
});

describe('activity of the bench', () => {
  test('a build progresses through its stages and never back', () => {
    const stages = ['queue', 'scan', 'synthesis', 'place', 'route', 'pack', 'program', 'identify'] as const;
    const seen = stages.flatMap((stage) =>
      [0, 0.5, 1].map((fraction) => overallFraction(job({ stage, fraction })) ?? -1),
    );
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(1);
  });
  test('sums up jobs and nodes', () => {
    const activity = readActivity({
      nodes: () => [node(0, 'programming'), node(1, 'idle'), node(2, 'error')],
      jobs: () => [job({ stage: 'program', fraction: 0 }), job({ status: 'queued' })],
    });
    expect(activity.programming).toBe(true);
    expect(activity.progress).toBeCloseTo(0.94);
    expect(describeNodes(activity)).toBe('1 in error, 1 programming');
    expect(describeNodes({ nodes: [node(0, 'idle')] })).toBe('all idle');
  });
  test('is reported at most every 200 ms, and the end of a job once', () => {
    const clock = new FakeClock();
    const listeners = new Set<(event: BenchEvent) => void>();
    const publish = (event: BenchEvent) => {
      for (const listener of listeners) listener(event);
    };
    const watch = new ActivityWatch(
      {
        pool: { nodes: () => [], jobs: () => [] },
        events: {
          subscribe(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
      },
      clock,
    );
    let told = 0;
    const ended: string[] = [];
    watch.on('activity', () => told++);
    watch.on('ended', ({ job_id }) => ended.push(job_id));
    publish({ type: 'job', job: job({}) });
    publish({ type: 'job', job: job({ status: 'complete' }) });
    publish({ type: 'job', job: job({ status: 'complete' }) });
    expect([told, ended]).toEqual([0, [JOB_ID]]);
    clock.advance(200);
    expect(told).toBe(1);
    publish({ type: 'node', node: node(0, 'idle') });
    watch.close();
    clock.advance(200);
    expect([told, listeners.size, clock.pending]).toEqual([1, 0, 0]);
  });
  test('is reported at once when programming begins, however soon it ends', () => {
    const clock = new FakeClock();
    let publish: (event: BenchEvent) => void = () => {};
    let nodes: NodeView[] = [];
    const pool = { nodes: () => nodes, jobs: () => [] };
    const subscribe = (listener: typeof publish) => {
      publish = listener;
      return () => {};
    };
    const watch = new ActivityWatch({ pool, events: { subscribe } }, clock);
    const told: boolean[] = [];
    watch.on('activity', ({ programming }) => told.push(programming));
    const becomes = (state: NodeView['state']) => {
      nodes = [node(0, state)];
      publish({ type: 'node', node: node(0, state) });
    };
    becomes('idle');
    becomes('programming');
    becomes('programming');
    becomes('reserved');
    expect(told).toEqual([true]);
    clock.advance(200);
    expect(told).toEqual([true, false]);
    watch.close();
  });
  test('the tray lists nodes that are not idle and opens them', () => {
    const opened: number[] = [];
    const actions = { showWindow: () => {}, openNode: (id: number) => opened.push(id), quit: () => {} };
    const activity = {
      nodes: [node(0, 'idle'), node(7, 'reserved', 'bob')],
      jobs: [],
      progress: null,
      programming: false,
    };
    const item = trayMenu(activity, actions).find((entry) => entry.label?.includes('Node 7'));
    expect(item?.label).toBe('▣ Node 7: reserved, bob');
    (item as { click: () => void }).click();
    expect(opened).toEqual([7]);
  });
});

describe('menu', () => {
  test.each(['linux', 'darwin', 'win32'] as const)('on %s every command is reachable once', (platform) => {
    const commands: string[] = [];
    const nothing = () => {};
    const template = menuTemplate(platform, false, {
      command: (command) => commands.push(JSON.stringify(command)),
      openInBrowser: nothing,
      showLogs: nothing,
      saveSystemReport: nothing,
      checkForUpdates: nothing,
      about: nothing,
      quit: nothing,
    });
    const items = template.flatMap((top) => (Array.isArray(top.submenu) ? top.submenu : []));
    const ids = items.flatMap((item) => (item.id ? [item.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [
      'quit',
      'submit',
      'settings',
      'bench',
      'jobs',
      'boards',
      'palette',
      'shortcuts',
      'logs',
      'report',
      'updates',
      'about',
      'browser',
    ])
      expect(ids).toContain(id);
    const accelerators = items.flatMap((item) => (item.accelerator ? [String(item.accelerator)] : []));
    expect(new Set(accelerators).size).toBe(accelerators.length);
    for (const item of items) (item.click as undefined | (() => void))?.();
    expect(commands).toHaveLength(7);
  });
});

describe('messages from pages', () => {
  const origin = 'http://127.0.0.1:8000';
  const from = (url: string, parent: object | null = null) => ({ senderFrame: { url, parent } }) as never;
  test('count only from the top frame of our own origin', () => {
    expect(isOurPage(from(`${origin}/#/node/3`), origin)).toBe(true);
    expect(isOurPage(from('http://127.0.0.1:8001/'), origin)).toBe(false);
    expect(isOurPage(from(`${origin}/`, {}), origin)).toBe(false);
    expect(isOurPage(from('about:blank'), origin)).toBe(false);
    expect(isOurPage({ senderFrame: null }, origin)).toBe(false);
  });
});

describe('files', () => {
  test('a log rotates at its limit and keeps a bounded number of files', async () => {
    const file = path.join(folder(), 'deep', 'bench.log');
    const log = new RotatingFile(file, 100, 2);
    for (let i = 0; i < 40; i++) await new Promise((resolve) => log.write(`line ${i} of the log\n`, resolve));
    expect(readFileSync(file, 'utf8')).toContain('line 39');
    expect(readFileSync(file, 'utf8').length).toBeLessThanOrEqual(100);
    expect(existsSync(`${file}.2`)).toBe(true);
    expect(existsSync(`${file}.3`)).toBe(false);
  });
  test('a log held by another program loses no line and no rotated file', async () => {
    const file = path.join(folder(), 'bench.log');
    let held = '';
    const rename = (from: string, to: string) => {
      if (path.basename(from) === held) throw Object.assign(new Error('held'), { code: 'EBUSY' });
      renameSync(from, to);
    };
    const log = new RotatingFile(file, 100, 3, rename as typeof renameSync);
    let count = 0;
    const write = async (lines: number) => {
      for (let i = 0; i < lines; i++)
        await new Promise((resolve) => log.write(`line ${count++} of the log\n`, resolve));
    };
    const kept = () =>
      [3, 2, 1, 0]
        .map((i) => (i === 0 ? file : `${file}.${i}`))
        .flatMap((name) => (existsSync(name) ? [readFileSync(name, 'utf8')] : []))
        .join('')
        .match(/\d+/g)
        ?.map(Number);
    await write(20);
    const first = kept()?.[0] ?? -1;
    for (held of ['bench.log', 'bench.log.1', 'bench.log.2']) await write(8);
    // At most one file is gone, as an interrupted rotation takes it.
    const lines = kept() ?? [];
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, i) => count - lines.length + i));
    expect(lines.length).toBeGreaterThanOrEqual(24);
    expect(first).toBeLessThanOrEqual(lines[0] ?? 0);
    held = '';
    await write(20);
    expect(readFileSync(file, 'utf8').length).toBeLessThanOrEqual(100);
    expect(kept()?.at(-1)).toBe(count - 1);
  });
  test('desktop settings survive a restart, and damage falls back to the defaults', () => {
    const where = folder();
    openDesktopSettings(where).set({ ...DEFAULT_DESKTOP_SETTINGS, theme: 'dark' });
    expect(openDesktopSettings(where).value.theme).toBe('dark');
    for (const damage of ['{', '{"theme":"pink"}', '[]', 'null']) {
      writeFileSync(path.join(where, 'desktop.json'), damage);
      expect(openDesktopSettings(where).value).toEqual(DEFAULT_DESKTOP_SETTINGS);
    }
  });
});

describe('system report', () => {
  test('shows the data directory without the user name', () => {
    const app = { getVersion: () => '1.2.3', isPackaged: true };
    const folder = path.join(homedir(), 'bench');
    const parts = { folder, status: {}, boards: {}, doctor: [] };
    const text = systemReport(app, parts, new Date('2030-01-01T00:00:00.000Z'));
    expect(text).toMatch(/^Wishbench 1\.2\.3 \(packaged\), 2030-01-01T00:00:00\.000Z\n/);
    expect(text).toContain(`\nData directory ${path.join('~', 'bench')}\n`);
  });
  test('redacts secrets and user names at any depth', () => {
    const text = JSON.stringify(
      redact({ port: 8000, operatorToken: 't0p', list: [{ api_key: 'k3y', owner: 'alice', name: 'HX8K' }] }),
    );
    expect(text).not.toMatch(/t0p|k3y|alice/);
    expect(text).toContain('HX8K');
  });
});

describe('updates', () => {
  test('versions compare by number', () => {
    expect(isNewer('0.10.0', '0.9.9')).toBe(true);
    expect(isNewer('v1.0.0', '1.0.0')).toBe(false);
    expect(isNewer('1.0', '0.9.0')).toBe(false);
  });
  test('the feed is queried only when configured; invalid responses yield no update', async () => {
    let answer = JSON.stringify({ version: '9.0.0', url: 'https://example.org/wishbench' });
    const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const feed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await checkForUpdate('', '0.1.0', silentLogger)).toBeNull();
    expect(await checkForUpdate(feed, '0.1.0', silentLogger)).toEqual({
      version: '9.0.0',
      url: 'https://example.org/wishbench',
    });
    for (const wrong of ['', '{}', '{"version":"9.0.0","url":"javascript:alert(1)"}', 'x'.repeat(70_000)]) {
      answer = wrong;
      expect(await checkForUpdate(feed, '0.1.0', silentLogger)).toBeNull();
    }
    server.close();
    expect(await checkForUpdate(feed, '0.1.0', silentLogger)).toBeNull();
  });
});

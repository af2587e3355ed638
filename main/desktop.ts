import type { Job } from '../server/contract/jobs.ts';
import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { app, type BrowserWindow, dialog, nativeTheme, session } from 'electron';
import type { DesktopCommand, DesktopFile, DesktopSettings } from '../preload/bridge.ts';
import type { Bench } from '../server/bench.ts';
import { distPath, resourcePath } from '../server/paths.ts';
import { type Activity, ActivityWatch } from './activity.ts';
import { openDesktopSettings } from './desktop-settings.ts';
import { hostService } from './host-service.ts';
import { channel, type Pushes } from './ipc/channels.ts';
import { setupIpc } from './ipc/handlers.ts';
import type { Logs } from './logs.ts';
import { setupMenu } from './menu.ts';
import { createNodeClient } from './node-client.ts';
import { notifyEnd } from './notifications.ts';
import { SleepBlock } from './power.ts';
import { mayQuit } from './quit-guard.ts';
import { openExternal, setupSecurity } from './security.ts';
import { systemReport } from './system-report.ts';
import { type BenchTray, setupTray } from './tray.ts';
import { checkForUpdate } from './updates.ts';
import { WatchedFiles } from './watched-files.ts';
import { createWindow } from './window.ts';

/** Whom jobs and sessions of the desktop's own window belong to. */
const OWNER = 'desktop';
/** Files larger than this are not HDL sources and are not read, bytes. */
const FILE_LIMIT = 64 * 1024 * 1024;
const UPDATE_INTERVAL = 24 * 3600 * 1000;
const HDL_EXTENSIONS = ['v', 'sv', 'vhd', 'vhdl', 'py'];

export interface Desktop {
  /** After Electron is ready: hosts the service, then shows the window. */
  start(command: DesktopCommand | null): Promise<void>;
  /** A second start or a deep link: shows the window and does what was asked. */
  activate(command: DesktopCommand | null): void;
}

/** Puts the features together; each lives in a file of its own and knows nothing of the others. */
export function createDesktop({ logs }: { logs: Logs }): Desktop {
  const { logger } = logs;
  // Made at every start, kept in memory, handed to the window over IPC: never on disk, never in a URL.
  const operatorToken = randomBytes(32).toString('base64url');
  const icon = resourcePath('icons', 'linux', '512x512.png');
  const sleep = new SleepBlock();

  let bench: Bench | null = null;
  let window: BrowserWindow | null = null;
  let tray: BenchTray | null = null;
  let activity: ActivityWatch | null = null;
  let watched: WatchedFiles | null = null;
  let listening = false; // the GUI has subscribed to commands
  let quitting = false;
  let toldOfTray = false;
  const waiting: DesktopCommand[] = [];

  const origin = () => (bench ? new URL(bench.url).origin : 'null');
  const settings = () => desktopSettings.value;
  const desktopSettings = openDesktopSettings(app.getPath('userData'));

  const push = <K extends keyof Pushes>(name: K, payload: Pushes[K]) => {
    if (window && !window.isDestroyed()) window.webContents.send(channel(name), payload);
  };

  /** Commands that come before the GUI listens are kept: a page that loads would lose them. */
  const command = (wanted: DesktopCommand) => {
    showWindow();
    if (listening) push('command', wanted);
    else waiting.push(wanted);
  };

  function showWindow(): void {
    if (!bench) return;
    if (!window || window.isDestroyed()) openWindow();
    else {
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    }
  }

  function openWindow(): void {
    if (!bench) return;
    listening = false;
    window = createWindow({
      userData: app.getPath('userData'),
      icon,
      preload: distPath('preload', 'index.cjs'),
      version: app.getVersion(),
    });
    window.on('close', (event) => {
      if (quitting || !activity || !staysInTray(activity.now())) return;
      event.preventDefault();
      window?.hide();
      tellOfTray();
    });
    window.webContents.on('render-process-gone', (_event, details) => {
      logger.error({ reason: details.reason }, 'the window crashed and is loaded again');
      if (details.reason !== 'clean-exit') window?.webContents.reload();
    });
    void window
      .loadURL(bench.url)
      .catch((error: Error) => logger.error({ error: error.message }, 'the window did not load'));
  }

  /** The bench keeps serving while somebody needs it. */
  function staysInTray(now: Activity): boolean {
    if (settings().closeToTray === 'always') return true;
    return now.jobs.length > 0 || (bench?.clients().lan ?? 0) > 0;
  }

  function tellOfTray(): void {
    if (toldOfTray || !window) return;
    toldOfTray = true;
    void dialog.showMessageBox({
      type: 'info',
      title: 'Wishbench keeps serving',
      message: 'The window is closed, the bench is not.',
      detail:
        'Jobs run or colleagues are connected, so Wishbench goes on in the tray. Quit it there, or open the window again.',
      buttons: ['OK'],
    });
  }

  function follow(running: Bench): void {
    activity = new ActivityWatch(running.pool, running.events);
    const show = (now: Activity) => {
      tray?.update(now);
      sleep.set(now.programming);
      if (window && !window.isDestroyed()) window.setProgressBar(now.progress ?? -1);
      for (const node of now.nodes) watched?.nodeChanged(node.fpga_id, node.state);
    };
    activity.on('activity', show);
    activity.on('ended', (job: Job) => {
      if (settings().notifications && !window?.isFocused())
        notifyEnd(job, icon, () => command({ type: 'open-node', fpga_id: job.fpga_id }));
    });
    show(activity.now());
  }

  async function quit(): Promise<void> {
    if (quitting) return;
    if (activity && !(await mayQuit(window, activity.now()))) return;
    quitting = true;
    sleep.set(false);
    watched?.close();
    activity?.close();
    tray?.destroy();
    await bench
      ?.close()
      .catch((error: Error) => logger.error({ error: error.message }, 'the service did not end cleanly'));
    app.quit();
  }

  async function get(route: string): Promise<unknown> {
    const response = await fetch(`${origin()}${route}`, { headers: { 'X-Operator-Token': operatorToken } });
    return response.json();
  }

  async function report(save: boolean): Promise<string> {
    const [status, boards, doctor] = await Promise.all(['/status', '/boards', '/doctor'].map(get));
    const text = systemReport(app, { status, boards, doctor });
    if (save) await saveFile('wishbench-report.txt', text);
    return text;
  }

  async function saveFile(name: string, contents: string | Uint8Array): Promise<boolean> {
    const options = { defaultPath: path.join(app.getPath('downloads'), path.basename(name)) };
    const { canceled, filePath } = window
      ? await dialog.showSaveDialog(window, options)
      : await dialog.showSaveDialog(options);
    if (canceled || !filePath) return false;
    await writeFile(filePath, contents);
    return true;
  }

  async function read(file: string): Promise<DesktopFile | null> {
    // Only what the bench takes: the GUI must not become a reader of arbitrary files.
    if (!HDL_EXTENSIONS.includes(path.extname(file).slice(1).toLowerCase())) return null;
    try {
      const { size } = await stat(file);
      if (size > FILE_LIMIT) return null;
      return { path: file, name: path.basename(file), contents: new Uint8Array(await readFile(file)) };
    } catch {
      return null;
    }
  }

  async function lookForUpdate(asked: boolean): Promise<void> {
    const update = await checkForUpdate(settings().updateFeed, app.getVersion(), logger);
    // Never while somebody works; the next day's check finds it again.
    if (!asked && (activity?.now().jobs.length ?? 0) > 0) return;
    if (!update) {
      if (!asked) return;
      const detail = settings().updateFeed === '' ? 'No update feed is configured in the settings.' : '';
      await dialog.showMessageBox({
        type: 'info',
        message: 'No newer version was found.',
        detail,
        buttons: ['OK'],
      });
      return;
    }
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `Wishbench ${update.version} is there.`,
      detail: `This is ${app.getVersion()}. Nothing is installed by itself.`,
      buttons: ['Later', 'Open its page'],
      defaultId: 0,
      cancelId: 0,
    });
    if (response === 1) await openExternal(update.url, logger);
  }

  function changeSettings(change: Partial<DesktopSettings>): DesktopSettings {
    desktopSettings.set({ ...settings(), ...change });
    nativeTheme.themeSource = settings().theme;
    return settings();
  }

  function setupFeatures(): void {
    const files = new WatchedFiles(createNodeClient(origin, operatorToken, OWNER), logger);
    watched = files;
    files.on('change', (list) => push('watchedFiles', list));
    setupSecurity(app, session.defaultSession, origin, logger);
    setupIpc({
      origin,
      logger,
      onReady() {
        listening = true;
        for (const wanted of waiting.splice(0)) push('command', wanted);
      },
      handlers: {
        operatorToken: async () => operatorToken,
        async openHdlFile() {
          const options = {
            properties: ['openFile' as const],
            filters: [{ name: 'HDL sources', extensions: HDL_EXTENSIONS }],
          };
          const { canceled, filePaths } = window
            ? await dialog.showOpenDialog(window, options)
            : await dialog.showOpenDialog(options);
          return canceled || !filePaths[0] ? null : read(filePaths[0]);
        },
        readRecentFile: read,
        saveFile,
        watchFile: async (fpgaId, file) => files.watch(fpgaId, file),
        unwatchFile: async (fpgaId) => files.unwatch(fpgaId),
        watchedFiles: async () => files.list(),
        desktopSettings: async () => settings(),
        changeDesktopSettings: async (change) => changeSettings(change),
        showLogs: () => logs.show(),
        systemReport: report,
        openExternal: (url) => openExternal(url, logger),
      },
    });
    setupMenu(app, {
      command,
      openInBrowser: () => void openExternal(origin(), logger),
      showLogs: () => void logs.show(),
      saveSystemReport: () => void report(true),
      checkForUpdates: () => void lookForUpdate(true),
      about: () =>
        void dialog.showMessageBox({
          type: 'info',
          title: 'About Wishbench',
          message: `Wishbench ${app.getVersion()}`,
          detail: `The FPGA lab bench for the lab PC.\nServing at ${origin()}`,
          buttons: ['OK'],
        }),
      quit: () => void quit(),
    });
    tray = setupTray(resourcePath('icons', 'tray.png'), {
      showWindow,
      openNode: (fpga_id) => command({ type: 'open-node', fpga_id }),
      quit: () => void quit(),
    });
  }

  return {
    async start(first) {
      nativeTheme.themeSource = settings().theme;
      bench = await hostService({ app, logger, operatorToken });
      if (!bench) return app.quit();
      app.on('before-quit', (event) => {
        if (quitting) return;
        event.preventDefault();
        void quit();
      });
      // Closing the last window is a wish to quit, which the guard may still hold back.
      app.on('window-all-closed', () => void quit());
      app.on('activate', showWindow);
      setupFeatures();
      follow(bench);
      if (first) waiting.push(first);
      openWindow();
      void lookForUpdate(false);
      setInterval(() => void lookForUpdate(false), UPDATE_INTERVAL).unref();
    },
    activate(wanted) {
      if (wanted) command(wanted);
      else showWindow();
    },
  };
}

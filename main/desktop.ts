import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { app, type BrowserWindow, dialog, nativeTheme, session } from 'electron';
import type { DesktopCommand, DesktopSettings } from '../preload/bridge.ts';
import { channel, type Pushes } from '../preload/channels.ts';
import type { Bench } from '../server/bench.ts';
import type { Clock } from '../server/clock.ts';
import { createClient } from '../server/contract/client/client.ts';
import { findDataFolder } from '../server/data-folder.ts';
import { distPath, resourcePath } from '../server/paths.ts';
import { type Activity, ActivityWatch } from './activity.ts';
import { openDesktopSettings } from './desktop-settings.ts';
import { chooseHdlFile, isHdlFile, readHdlFile, saveFile } from './files.ts';
import { hostService } from './host-service.ts';
import { setupIpc } from './ipc/handlers.ts';
import type { Logs } from './logs.ts';
import { setupMenu } from './menu.ts';
import { notifyEnd } from './notifications.ts';
import { SleepBlock } from './power.ts';
import { mayQuit } from './quit-guard.ts';
import { openExternal, setupSecurity } from './security.ts';
import { systemReport } from './system-report.ts';
import { type BenchTray, setupTray } from './tray.ts';
import { checkForUpdate, offerUpdate, showUpToDate } from './updates.ts';
import { WatchedFiles } from './watched-files.ts';
import { createWindow } from './window.ts';

const UPDATE_INTERVAL_MS = 24 * 3600 * 1000;

interface Desktop {
  /** After Electron is ready: hosts the service, then shows the window. */
  start(command: DesktopCommand | null): Promise<void>;
  /** A second start or a deep link: shows the window and runs the command. */
  activate(command: DesktopCommand | null): void;
}

/** Puts the features together; each is in a file of its own and independent of the others. */
export function createDesktop({ logs, clock }: { logs: Logs; clock: Clock }): Desktop {
  const { logger } = logs;
  // New at every start, in memory only, and sent to the window over IPC: never on disk, never in a URL.
  const operatorToken = randomBytes(32).toString('base64url');
  const icon = resourcePath('icons', 'linux', '512x512.png');
  const sleep = new SleepBlock();
  const watched = new WatchedFiles({ clock, read: readHdlFile });
  // Earlier versions stored the bench next to the window's settings.
  const data = findDataFolder(undefined, [path.join(app.getPath('userData'), 'bench')]);

  let bench: Bench | null = null;
  let window: BrowserWindow | null = null;
  let tray: BenchTray | null = null;
  let activity: ActivityWatch | null = null;
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

  /** Queue commands until the GUI listens: a loading page would lose them. */
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
      logger.error({ reason: details.reason }, 'the window crashed and is being reloaded');
      if (details.reason !== 'clean-exit') window?.webContents.reload();
    });
    void window
      .loadURL(bench.url)
      .catch((error: Error) => logger.error({ err: error }, 'the window did not load'));
  }

  /** Whether the bench must keep serving after the window is closed. */
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
        'Jobs are running or colleagues are connected, so Wishbench stays in the tray. Quit it there, or open the window again.',
      buttons: ['OK'],
    });
  }

  function follow(running: Bench): void {
    activity = new ActivityWatch(running, clock);
    const show = (now: Activity) => {
      tray?.update(now);
      sleep.set(now.programming);
      if (window && !window.isDestroyed()) window.setProgressBar(now.progress ?? -1);
    };
    activity.on('activity', show);
    activity.on('ended', (job) => {
      if (settings().notifications && !window?.isFocused())
        notifyEnd(job, icon, () => command({ kind: 'open-node', fpga_id: job.fpga_id }));
    });
    show(activity.now());
  }

  async function quit(): Promise<void> {
    if (quitting) return;
    if (activity && !(await mayQuit(window, activity.now()))) return;
    quitting = true;
    sleep.set(false);
    watched.close();
    activity?.close();
    tray?.destroy();
    await bench
      ?.close()
      .catch((error: Error) => logger.error({ err: error }, 'the service did not stop cleanly'));
    app.quit();
  }

  async function report(save: boolean): Promise<string> {
    const client = createClient({ base: origin(), headers: () => ({ 'x-operator-token': operatorToken }) });
    // A report is for trouble: a missing part gives its error, and the others still come.
    const part = (call: Promise<unknown>) => call.catch((error: Error) => ({ problem: error.message }));
    const [status, boards, doctor] = await Promise.all([
      part(client.getStatus()),
      part(client.listBoards()),
      part(client.runDoctor()),
    ]);
    const parts = { folder: data.folder, status, boards, doctor };
    const text = systemReport(app, parts, new Date(clock.now()));
    if (save) await saveFile(window, app.getPath('downloads'), 'wishbench-report.txt', text);
    return text;
  }

  async function lookForUpdate(asked: boolean): Promise<void> {
    const feed = settings().updateFeed;
    const update = await checkForUpdate(feed, app.getVersion(), logger);
    // Never while jobs run; the next day's check finds the update again.
    if (!asked && (activity?.now().jobs.length ?? 0) > 0) return;
    if (update) await offerUpdate(update, app.getVersion(), logger);
    else if (asked) await showUpToDate(feed);
  }

  /** Checks now and every day. */
  function lookForUpdates(): void {
    void lookForUpdate(false);
    clock.after(UPDATE_INTERVAL_MS, lookForUpdates);
  }

  function changeSettings(change: Partial<DesktopSettings>): DesktopSettings {
    desktopSettings.set({ ...settings(), ...change });
    nativeTheme.themeSource = settings().theme;
    return settings();
  }

  function setupFeatures(): void {
    watched.on('change', (list) => push('watchedFiles', list));
    watched.on('saved', () => push('filesSaved', null));
    const mayNotify = () => settings().notifications;
    setupSecurity(app, session.defaultSession, { origin, mayNotify }, logger);
    setupIpc({
      origin,
      logger,
      onReady() {
        listening = true;
        for (const wanted of waiting.splice(0)) push('command', wanted);
      },
      handlers: {
        operatorToken: async () => operatorToken,
        openHdlFile: () => chooseHdlFile(window),
        readRecentFile: (file) => readHdlFile(file).catch(() => null),
        saveFile: (name, contents) => saveFile(window, app.getPath('downloads'), name, contents),
        async watchFile(fpgaId, file) {
          if (!isHdlFile(file)) throw new Error(`Refused: ${path.basename(file)} is not an HDL source.`);
          watched.watch(fpgaId, file);
        },
        unwatchFile: async (fpgaId) => watched.unwatch(fpgaId),
        watchedFiles: async () => watched.list(),
        takeSavedFiles: async () => watched.take(),
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
          detail: `The FPGA lab bench for the lab PC.\nServing at ${origin()}\nData directory: ${data.folder}`,
          buttons: ['OK'],
        }),
      quit: () => void quit(),
    });
    tray = setupTray(resourcePath('icons', 'tray.png'), {
      showWindow,
      openNode: (fpga_id) => command({ kind: 'open-node', fpga_id }),
      quit: () => void quit(),
    });
  }

  return {
    async start(first) {
      nativeTheme.themeSource = settings().theme;
      bench = await hostService({ data, logger, recent: logs.recent, operatorToken });
      if (!bench) return app.quit();
      logger.info({ folder: data.folder }, 'the data directory');
      for (const notice of data.notices) logger.warn(notice);
      app.on('before-quit', (event) => {
        if (quitting) return;
        event.preventDefault();
        void quit();
      });
      // Closing the last window means quitting, but the guard may still prevent it.
      app.on('window-all-closed', () => void quit());
      app.on('activate', showWindow);
      setupFeatures();
      follow(bench);
      if (first) waiting.push(first);
      openWindow();
      lookForUpdates();
    },
    activate(wanted) {
      if (wanted) command(wanted);
      else showWindow();
    },
  };
}

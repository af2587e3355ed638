// Stand-in for the main-process half of `electron`, in plain Node, driving Chromium. It has what the application uses;
// other imports fail, and unknown members of an object throw.
import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { app, application } from './application.mjs';
import { makeCodec } from './codec.mjs';
import { calls, notify, preventable, record, state, strict } from './state.mjs';
import { ipcMain } from './web-contents.mjs';
import { BrowserWindow, launchBrowser } from './windows.mjs';

const codec = makeCodec();

/** Called by the runner once the application's main module has been evaluated, as Electron does. */
export async function __start() {
  if (state.quitting || state.exiting) return;
  state.browser = launchBrowser();
  await state.browser;
  state.ready = true;
  application.emit('ready', preventable(), {});
}

/** Tests replace these through evaluate(), as with real Electron. */
const dialog = strict('dialog', {
  showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
  showSaveDialog: async () => ({ canceled: true, filePath: '' }),
  showMessageBox: async () => ({ response: 0, checkboxChecked: false }),
  showErrorBox: record('dialog.showErrorBox'),
});

const shell = strict('shell', {
  openExternal: record('shell.openExternal', Promise.resolve()),
  openPath: record('shell.openPath', Promise.resolve('')),
  showItemInFolder: record('shell.showItemInFolder'),
});

let applicationMenu = null;
class Menu {
  items = [];
  static buildFromTemplate(template) {
    const menu = new Menu();
    menu.items = template.map((item) => new MenuItem(item));
    return menu;
  }
  static setApplicationMenu(menu) {
    applicationMenu = menu;
  }
  static getApplicationMenu() {
    return applicationMenu;
  }
  getMenuItemById(id) {
    for (const item of this.items) {
      const found = item.id === id ? item : (item.submenu?.getMenuItemById(id) ?? null);
      if (found) return found;
    }
    return null;
  }
}

class MenuItem {
  constructor(options) {
    Object.assign(this, { type: 'normal', enabled: true, visible: true, label: options.role ?? '' }, options);
    if (Array.isArray(options.submenu)) this.submenu = Menu.buildFromTemplate(options.submenu);
  }
}

class Tray extends EventEmitter {
  static all = [];
  menu = null;
  tooltip = '';
  constructor(image) {
    super();
    this.image = image;
    Tray.all.push(this);
  }
  setToolTip(text) {
    this.tooltip = text;
  }
  setContextMenu(menu) {
    this.menu = menu;
  }
  destroy() {}
}

class Notification extends EventEmitter {
  static shown = [];
  constructor(options) {
    super();
    Object.assign(this, options);
  }
  static isSupported() {
    return true;
  }
  show() {
    Notification.shown.push(this);
    calls.push({ name: 'Notification.show', args: [this.title, this.body] });
  }
}

const image = (bytes = Buffer.alloc(0)) => strict('NativeImage', { isEmpty: () => bytes.length === 0 });
const nativeImage = strict('nativeImage', {
  createEmpty: () => image(),
  createFromPath: (file) => image(fs.existsSync(file) ? fs.readFileSync(file) : undefined),
});

const nativeTheme = strict(
  'nativeTheme',
  Object.assign(new EventEmitter(), { shouldUseDarkColors: false, themeSource: 'system' }),
);

const session = {
  defaultSession: strict('session', {
    setPermissionRequestHandler: record('session.setPermissionRequestHandler'),
    setPermissionCheckHandler: record('session.setPermissionCheckHandler'),
    setDevicePermissionHandler: record('session.setDevicePermissionHandler'),
  }),
};

const display = { workArea: { x: 0, y: 0, width: 1920, height: 1080 } };
const screen = strict('screen', { getPrimaryDisplay: () => display, getAllDisplays: () => [display] });

let blockers = 0;
const active = new Set();
const powerSaveBlocker = strict('powerSaveBlocker', {
  start(type) {
    calls.push({ name: 'powerSaveBlocker.start', args: [type] });
    active.add(++blockers);
    return blockers;
  },
  stop(id) {
    calls.push({ name: 'powerSaveBlocker.stop', args: [id] });
    return active.delete(id);
  },
  isStarted: (id) => active.has(id),
});

/** Processes of Electron's own: here Node's, with the port that theirs have in place of Node's channel. */
const utilityProcess = strict('utilityProcess', {
  fork(entry, args, { env }) {
    const port = new URL('parent-port.mjs', import.meta.url).href;
    const child = fork(entry, args, {
      env,
      execArgv: ['--import', port],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    return {
      postMessage: (message) => child.connected && child.send(message, () => {}),
      on: (event, listener) => child.on(event, listener),
      once: (event, listener) => child.once(event, listener),
      kill: () => child.kill('SIGKILL'),
    };
  },
});

const electron = {
  app,
  ipcMain,
  BrowserWindow,
  dialog,
  shell,
  Menu,
  MenuItem,
  Tray,
  Notification,
  nativeImage,
  nativeTheme,
  session,
  screen,
  powerSaveBlocker,
  utilityProcess,
};
export default electron;
export {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  MenuItem,
  Notification,
  nativeImage,
  nativeTheme,
  powerSaveBlocker,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
};

/** evaluate(fn, arg) in the main process, like Playwright's ElectronApplication. */
process.on('message', async (message) => {
  if (message?.standin !== 'evaluate') return;
  let result;
  try {
    // biome-ignore lint/security/noGlobalEval: the test sends its own functions as source text.
    // biome-ignore lint/complexity/noCommaOperator: an indirect eval sees only globals.
    const work = (0, eval)(`(${message.fn})`);
    result = { ok: true, value: codec.encode(await work({ ...electron, calls }, codec.decode(message.arg))) };
  } catch (error) {
    result = { ok: false, value: String(error?.stack ?? error) };
  }
  notify({ event: 'result', id: message.id, ...result });
});
process.on('disconnect', () => application.quit());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => application.quit());

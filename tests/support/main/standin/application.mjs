// `app`: life cycle, paths and the single-instance lock.
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { inert, preventable, record, state, strict } from './state.mjs';

class App extends EventEmitter {
  name = state.pkg.productName ?? state.pkg.name ?? 'Electron';
  commandLine = inert('commandLine', 'appendSwitch', 'appendArgument', 'hasSwitch', 'getSwitchValue');
  setAsDefaultProtocolClient = record('app.setAsDefaultProtocolClient', true);
  setLoginItemSettings = record('app.setLoginItemSettings');
  setAppUserModelId = record('app.setAppUserModelId');
  focus = record('app.focus');
  #paths = new Map();

  isReady() {
    return state.ready;
  }
  whenReady() {
    return state.ready ? Promise.resolve() : new Promise((resolve) => this.once('ready', () => resolve()));
  }
  getName() {
    return this.name;
  }
  setName(name) {
    this.name = name;
  }
  getVersion() {
    return state.pkg.version ?? '0.0.0';
  }
  getAppPath() {
    return state.appPath;
  }
  get isPackaged() {
    return state.packaged;
  }
  getLocale() {
    return 'en-US';
  }
  setPath(name, folder) {
    this.#paths.set(name, folder);
  }
  getPath(name) {
    if (this.#paths.has(name)) return this.#paths.get(name);
    const home = os.homedir();
    const appData = process.env.XDG_CONFIG_HOME ?? path.join(home, '.config');
    const userData = this.#paths.get('userData') ?? path.join(appData, this.name);
    const known = {
      home,
      appData,
      userData,
      sessionData: userData,
      temp: os.tmpdir(),
      exe: process.execPath,
      desktop: path.join(home, 'Desktop'),
      documents: path.join(home, 'Documents'),
      downloads: path.join(home, 'Downloads'),
      logs: path.join(userData, 'logs'),
      crashDumps: path.join(userData, 'Crashpad'),
    };
    if (!known[name]) throw new Error(`Failed to get '${name}' path`);
    if (name === 'userData' || name === 'logs') fs.mkdirSync(known[name], { recursive: true });
    return known[name];
  }

  /** A socket in userData: the listener has the lock; a second instance sends its command line and ends. */
  requestSingleInstanceLock() {
    const folder = this.getPath('userData');
    const holder = path.join(folder, 'SingletonLock.standin');
    const socket = path.join(folder, 'SingletonSocket.standin');
    try {
      const pid = Number(fs.readFileSync(holder, 'utf8'));
      process.kill(pid, 0);
      if (pid !== process.pid) {
        // The process must not end before its command line has been handed over.
        state.handover = new Promise((resolve) => {
          net.connect(socket).on('error', resolve).on('close', resolve).end(JSON.stringify(process.argv));
        });
        return false;
      }
    } catch {
      // No holder, or a dead one.
    }
    fs.writeFileSync(holder, String(process.pid));
    fs.rmSync(socket, { force: true });
    const server = net.createServer((connection) => {
      let text = '';
      connection.on('data', (data) => {
        text += data;
      });
      connection.on('end', () =>
        this.emit('second-instance', preventable(), JSON.parse(text), process.cwd()),
      );
    });
    server.listen(socket).unref();
    process.on('exit', () => {
      fs.rmSync(holder, { force: true });
      fs.rmSync(socket, { force: true });
    });
    return true;
  }

  quit() {
    if (state.quitting) return;
    state.quitting = true;
    const event = preventable();
    this.emit('before-quit', event);
    if (event.defaultPrevented) {
      state.quitting = false;
      return;
    }
    void this.#closeAll();
  }

  async #closeAll() {
    for (const window of [...state.windows.values()]) {
      window.close();
      await window._settled;
      if (!window.isDestroyed()) {
        state.quitting = false;
        return;
      }
    }
    const event = preventable();
    this.emit('will-quit', event);
    if (event.defaultPrevented) state.quitting = false;
    else this.exit(0);
  }

  exit(code = 0) {
    if (state.exiting) return;
    state.exiting = true;
    this.emit('quit', preventable(), code);
    const end = () => process.exit(code);
    setTimeout(end, 5000).unref();
    const browserEnd = state.browser?.then((context) => context.close());
    void Promise.allSettled([browserEnd, state.handover]).then(end);
  }
}

export const application = new App();
export const app = strict('app', application);

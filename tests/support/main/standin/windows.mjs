// `BrowserWindow`, and the Chromium whose tabs the windows are.
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { application as app } from './application.mjs';
import { calls, notify, preventable, state, strict } from './state.mjs';
import { WebContents } from './web-contents.mjs';

/** Starts Chromium; called once by the runner. */
export async function launchBrowser() {
  const folder = path.join(app.getPath('userData'), 'chromium-standin');
  const portFile = path.join(folder, 'DevToolsActivePort');
  fs.rmSync(portFile, { force: true });
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    viewport: null,
    handleSIGINT: false,
    handleSIGTERM: false,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--remote-debugging-port=0',
    ],
  });
  state.spare = context.pages()[0] ?? null;
  context.on('close', () => {
    if (!state.exiting) app.exit(1);
  });
  notify({ event: 'browser', port: Number(fs.readFileSync(portFile, 'utf8').split('\n')[0]) });
  return context;
}

export class BrowserWindow extends EventEmitter {
  #state;
  #shown = false;
  #contents;
  #dead = false;
  #done;
  _settled = new Promise((resolve) => {
    this.#done = resolve;
  });

  constructor(options = {}) {
    super();
    if (!state.ready) throw new Error('Cannot create BrowserWindow before app is ready');
    const preferences = options.webPreferences ?? {};
    if (
      preferences.nodeIntegration ||
      preferences.contextIsolation === false ||
      preferences.sandbox === false
    )
      throw new Error('electron stand-in: only sandboxed, context-isolated renderers are supported');
    if (preferences.preload && !path.isAbsolute(preferences.preload))
      throw new Error('preload script must have absolute path');
    this.#state = {
      title: app.getName(),
      width: 800,
      height: 600,
      x: 0,
      y: 0,
      visible: options.show !== false,
    };
    for (const key of ['width', 'height', 'x', 'y', 'title'])
      if (options[key] !== undefined) this.#state[key] = options[key];
    this.#contents = new WebContents(this, preferences);
    this.id = this.#contents.id;
    this.webContents = strict('webContents', this.#contents);
    const facade = strict('BrowserWindow', this);
    state.windows.set(this.id, facade);
    app.emit('browser-window-created', preventable(), facade);
    app.emit('web-contents-created', preventable(), this.webContents);
    // biome-ignore lint/correctness/noConstructorReturn: whatever is not implemented must throw.
    return facade;
  }
  static getAllWindows() {
    return [...state.windows.values()];
  }
  loadURL(url) {
    return this.#contents.loadURL(url);
  }
  close() {
    const event = preventable();
    this.emit('close', event);
    if (!event.defaultPrevented) {
      this.destroy();
      return;
    }
    this.#done();
    this._settled = new Promise((resolve) => {
      this.#done = resolve;
    });
    state.quitting = false;
  }
  destroy() {
    // A page in setup does not report its end by itself yet.
    void Promise.resolve(this.#contents.page?.close())
      .catch(() => {})
      .then(() => this._closed());
  }
  _closed() {
    if (this.#dead) return;
    this.#dead = true;
    state.windows.delete(this.id);
    this.#done();
    this.emit('closed');
    if (state.windows.size > 0 || state.quitting || state.exiting) return;
    if (app.listenerCount('window-all-closed') > 0) app.emit('window-all-closed');
    else app.quit();
  }
  _readyToShow() {
    if (this.#shown) return;
    this.#shown = true;
    this.emit('ready-to-show');
  }
  isDestroyed() {
    return this.#dead;
  }
  show() {
    this.#state.visible = true;
    this.emit('show');
  }
  hide() {
    this.#state.visible = false;
    this.emit('hide');
  }
  isVisible() {
    return this.#state.visible;
  }
  focus() {
    calls.push({ name: 'window.focus', args: [] });
    this.emit('focus');
  }
  isFocused() {
    return this.#state.visible;
  }
  isMinimized() {
    return this.#state.minimized === true;
  }
  minimize() {
    this.#state.minimized = true;
  }
  restore() {
    this.#state.minimized = false;
  }
  maximize() {
    this.#state.maximized = true;
  }
  isMaximized() {
    return this.#state.maximized === true;
  }
  getBounds() {
    const { x, y, width, height } = this.#state;
    return { x, y, width, height };
  }
  getNormalBounds() {
    return this.getBounds();
  }
  setBounds(bounds) {
    Object.assign(this.#state, bounds);
  }
  setTitle(title) {
    this.#state.title = title;
  }
  getTitle() {
    return this.#state.title;
  }
  setProgressBar(fraction, options) {
    calls.push({ name: 'window.setProgressBar', args: [fraction, options] });
  }
}

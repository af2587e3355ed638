// `webContents`: a tab of Chromium, with the preload script in an isolated world; and `ipcMain`, which it feeds.
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { application as app } from './application.mjs';
import { makeCodec } from './codec.mjs';
import { mainWorld, makeBridge, preloadWorld } from './page.mjs';
import { notify, preventable, state, strict } from './state.mjs';

const WORLD = 'Electron Isolated Context';
const codec = makeCodec();

class IpcMain extends EventEmitter {
  #handlers = new Map();
  handle(channel, handler) {
    if (this.#handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.#handlers.set(channel, handler);
  }
  removeHandler(channel) {
    this.#handlers.delete(channel);
  }
  async _invoke(event, channel, args) {
    const handler = this.#handlers.get(channel);
    if (!handler) throw new Error(`No handler registered for '${channel}'`);
    return handler(event, ...args);
  }
}
const ipc = new IpcMain();
export const ipcMain = strict('ipcMain', ipc);

let nextId = 0;

export class WebContents extends EventEmitter {
  #chain;
  #context = null;
  #cdp = null;
  #expected = null;
  #openHandler = null;
  #url = '';
  #gone = false;

  constructor(window, preferences) {
    super();
    this.id = ++nextId;
    this.window = window;
    this.#chain = this.#start(preferences);
    this.#chain.catch((error) => {
      // A window may be closed, or the application quit, before its page has come up.
      if (this.#gone || state.quitting || state.exiting) return;
      console.error('electron stand-in:', error);
      app.exit(1);
    });
  }

  async #start(preferences) {
    const browser = await state.browser;
    const page = state.spare ?? (await browser.newPage());
    state.spare = null;
    this.page = page;
    const cdp = await browser.newCDPSession(page);
    this.#cdp = cdp;
    await this.#isolate(cdp, browser, preferences);
    this.#forwardPageEvents(page);
    await this.#guardNavigation(page);
    const { targetInfo } = await cdp.send('Target.getTargetInfo');
    notify({ event: 'window', id: this.window.id, targetId: targetInfo.targetId });
  }

  /** Runs the preload bundle in an isolated world before any script of the page. */
  async #isolate(cdp, browser, preferences) {
    const secret = randomUUID();
    const frameId = (await cdp.send('Page.getFrameTree')).frameTree.frame.id;
    cdp.on('Runtime.executionContextCreated', ({ context }) => {
      // Numeric ids repeat across processes, so the unique id is used.
      if (context.name === WORLD && context.auxData?.frameId === frameId) this.#context = context;
    });
    cdp.on('Runtime.executionContextDestroyed', ({ executionContextUniqueId }) => {
      if (executionContextUniqueId === this.#context?.uniqueId) this.#context = null;
    });
    cdp.on('Runtime.executionContextsCleared', () => {
      this.#context = null;
    });
    cdp.on('Runtime.bindingCalled', (event) => {
      if (event.name === '__standinSend' && event.executionContextId === this.#context?.id)
        void this.#fromPage(codec.decode(event.payload), this.#context);
    });
    await cdp.send('Runtime.enable');
    await cdp.send('Page.enable');
    await cdp.send('Runtime.addBinding', { name: '__standinSend', executionContextName: WORLD });
    const source = preferences.preload ? fs.readFileSync(preferences.preload, 'utf8') : '';
    const preloadProcess = {
      type: 'renderer',
      platform: process.platform,
      arch: process.arch,
      sandboxed: true,
      contextIsolated: true,
      env: {},
      argv: ['electron', ...(preferences.additionalArguments ?? [])],
      versions: {
        node: process.versions.node,
        chrome: browser.browser()?.version(),
        electron: state.version,
      },
    };
    const settings = JSON.stringify({ preload: preferences.preload, process: preloadProcess });
    const body = source.replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const preload = `function(require,process,module={exports:{}},exports=module.exports,global=globalThis){${body}\n}`;
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `(()=>{${makeBridge};(${mainWorld})(${JSON.stringify(secret)})})()`,
    });
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
      worldName: WORLD,
      source: `(()=>{${makeCodec};${makeBridge};(${preloadWorld})(${JSON.stringify(secret)},${settings},${preload})})()`,
    });
  }

  #forwardPageEvents(page) {
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return;
      this.#url = frame.url();
      this.emit('did-navigate', preventable(), frame.url());
    });
    page.on('domcontentloaded', () => this.emit('dom-ready', preventable()));
    page.on('load', () => {
      this.emit('did-finish-load', preventable());
      this.window._readyToShow();
    });
    page.on('console', (message) => {
      const level = { warning: 'warning', error: 'error' }[message.type()] ?? 'info';
      notify({ event: 'console', level, text: message.text() });
    });
    page.on('pageerror', (error) => notify({ event: 'pageerror', text: String(error.stack ?? error) }));
    page.on('crash', () =>
      this.emit('render-process-gone', preventable(), { reason: 'crashed', exitCode: 1 }),
    );
    page.on('close', () => {
      this.#gone = true;
      this.window._closed();
    });
    page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
  }

  /** `will-navigate` for main-frame navigations that the application did not start itself. */
  async #guardNavigation(page) {
    await page.route('**/*', async (route) => {
      const request = route.request();
      const own = request.url() === this.#expected || this.listenerCount('will-navigate') === 0;
      if (!request.isNavigationRequest() || request.frame() !== page.mainFrame() || own)
        return route.fallback();
      const event = preventable({ url: request.url(), isMainFrame: true });
      this.emit('will-navigate', event, request.url());
      return event.defaultPrevented ? route.abort('aborted') : route.fallback();
    });
  }

  #event(extra) {
    const senderFrame = { url: this.#url, top: null, parent: null, routingId: 1 };
    return {
      sender: this.window.webContents,
      senderFrame,
      frameId: 1,
      processId: 1,
      type: 'frame',
      ...extra,
    };
  }

  async #deliver(context, message) {
    const text = codec.encode(message);
    if (!context || this.#gone) return;
    const expression = `__standinDeliver(${JSON.stringify(text)})`;
    await this.#cdp
      .send('Runtime.evaluate', { expression, uniqueContextId: context.uniqueId })
      .catch(() => {});
  }

  async #fromPage(message, context) {
    switch (message.t) {
      case 'open': {
        const answer = this.#openHandler?.({ url: message.url, frameName: message.frameName }) ?? {
          action: 'allow',
        };
        if (answer.action === 'allow') throw new Error('electron stand-in: new windows are not supported');
        return;
      }
      case 'preload-error':
        this.emit('preload-error', preventable(), '', message.error);
        return;
      case 'send':
        ipc.emit(
          message.channel,
          this.#event({ reply: (name, ...args) => this.send(name, ...args) }),
          ...message.args,
        );
        return;
      case 'invoke': {
        let reply;
        try {
          reply = { ok: true, value: await ipc._invoke(this.#event(), message.channel, message.args) };
          codec.encode(reply);
        } catch (error) {
          reply = { ok: false, value: `Error invoking remote method '${message.channel}': ${error}` };
        }
        await this.#deliver(context, { t: 'reply', id: message.id, ...reply });
      }
    }
  }

  /** Runs calls in order, after the start-up. */
  #then(work) {
    const result = this.#chain.then(work);
    this.#chain = result.catch(() => {});
    return result;
  }

  send(channel, ...args) {
    const text = codec.encode({ t: 'event', channel, args });
    void this.#then(() => this.#deliver(this.#context, codec.decode(text)));
  }
  async loadURL(url) {
    await this.#chain;
    this.#expected = new URL(url).href;
    try {
      await this.page.goto(url, { waitUntil: 'load' });
    } catch (error) {
      const code = /net::(ERR_\w+)/.exec(error.message)?.[1] ?? 'ERR_FAILED';
      this.emit('did-fail-load', preventable(), -2, code, url, true);
      throw Object.assign(new Error(`${code} (-2) loading '${url}'`), { code, url });
    } finally {
      this.#expected = null;
    }
  }
  reload() {
    void this.#then(() => this.page.reload());
  }
  setWindowOpenHandler(handler) {
    this.#openHandler = handler;
  }
  getURL() {
    return this.#url;
  }
  isDestroyed() {
    return this.#gone;
  }
  isLoading() {
    return this.#expected !== null;
  }
  focus() {}
}

// Code that runs inside Chromium. Both functions are injected as source text before any page script.
//  - mainWorld:     the page's own JavaScript world; receives what contextBridge exposes.
//  - preloadWorld:  a CDP isolated world ("Electron Isolated Context"); runs the real preload bundle.
// The worlds share the DOM but no JavaScript objects. They talk through synchronous CustomEvents
// whose `detail` Chromium structured-clones between worlds; functions and promises are passed by id.

export function makeBridge(secret, side) {
  const [out, inn] =
    side === 'main' ? [`${secret}>iso`, `${secret}>main`] : [`${secret}>main`, `${secret}>iso`];
  const dispatch = EventTarget.prototype.dispatchEvent.bind(window),
    Ev = CustomEvent;
  const fns = new Map(),
    ids = new WeakMap(),
    proxies = new Map(),
    promises = new Map(),
    rets = new Map();
  let seq = 0;
  const post = (...m) => dispatch(new Ev(out, { detail: m }));
  const wrap = (v) => {
    if (typeof v === 'symbol') throw new Error('An object could not be cloned.');
    if (typeof v === 'function') {
      if (!ids.has(v)) {
        ids.set(v, ++seq);
        fns.set(seq, v);
      }
      return ['f', ids.get(v)];
    }
    if (v instanceof Promise) {
      const id = ++seq;
      v.then(
        (x) => post('settle', id, true, wrap(x)),
        (e) => post('settle', id, false, wrap(e)),
      );
      return ['p', id];
    }
    if (Array.isArray(v)) return ['a', v.map(wrap)];
    if (v && typeof v === 'object' && Object.prototype.toString.call(v) === '[object Object]')
      return ['o', Object.keys(v).map((k) => [k, wrap(v[k])])];
    return ['v', v];
  };
  const unwrap = ([t, v]) => {
    if (t === 'f') {
      if (!proxies.has(v)) {
        const p = (...args) => call(v, args);
        proxies.set(v, p);
      }
      return proxies.get(v);
    }
    if (t === 'p') return new Promise((res, rej) => promises.set(v, [res, rej]));
    if (t === 'a') return v.map(unwrap);
    if (t === 'o') return Object.fromEntries(v.map(([k, x]) => [k, unwrap(x)]));
    return v;
  };
  const call = (fn, args) => {
    const id = ++seq;
    post('call', id, fn, args.map(wrap));
    const r = rets.get(id);
    rets.delete(id);
    if (!r) throw new Error('electron stand-in: the other world did not answer');
    if (r[0]) return unwrap(r[1]);
    throw unwrap(r[1]);
  };
  const on = {
    call(id, fn, args) {
      let r;
      try {
        r = [true, wrap(fns.get(fn)(...args.map(unwrap)))];
      } catch (e) {
        r = [false, wrap(e)];
      }
      post('ret', id, r);
    },
    ret(id, r) {
      rets.set(id, r);
    },
    settle(id, ok, v) {
      const p = promises.get(id);
      promises.delete(id);
      p?.[ok ? 0 : 1](unwrap(v));
    },
  };
  window.addEventListener(
    inn,
    (e) => {
      const [t, ...m] = e.detail;
      e.stopImmediatePropagation();
      on[t]?.(...m);
    },
    true,
  );
  return { post, wrap, unwrap, on };
}

export function mainWorld(secret) {
  if (window !== window.top) return;
  const bridge = makeBridge(secret, 'main');
  const freeze = (o) => {
    if (o && typeof o === 'object' && !ArrayBuffer.isView(o)) {
      Object.values(o).forEach(freeze);
      Object.freeze(o);
    }
    return o;
  };
  bridge.on.expose = (key, value) =>
    Object.defineProperty(window, key, { value: freeze(bridge.unwrap(value)), enumerable: true });
  bridge.post('hello');
  // All new windows are decided by the main process, as with setWindowOpenHandler.
  const open = (url, frameName = '', features = '') => {
    bridge.post('open', String(new URL(url, document.baseURI)), frameName, features);
    return null;
  };
  window.open = open;
  window.addEventListener('click', (e) => {
    const a = e.composedPath().find((n) => n instanceof HTMLAnchorElement && n.href);
    if (a && !e.defaultPrevented && a.target && !/^_(self|top|parent)$/.test(a.target)) {
      e.preventDefault();
      open(a.href, a.target);
    }
  });
}

export function preloadWorld(secret, cfg, runPreload) {
  if (window !== window.top) return;
  const codec = makeCodec(),
    bridge = makeBridge(secret, 'iso');
  const native = globalThis.__standinSend;
  delete globalThis.__standinSend;
  const post = (m) => native(codec.encode(m));
  const exposed = [],
    waiting = new Map(),
    listeners = new Map();
  let seq = 0;
  // Whichever world starts first.
  bridge.on.hello = () => {
    for (const entry of exposed) bridge.post('expose', ...entry);
  };
  bridge.on.open = (url, frameName, features) => post({ t: 'open', url, frameName, features });
  const off = (ch, fn) => {
    listeners.set(
      ch,
      (listeners.get(ch) ?? []).filter((l) => l !== fn && l.orig !== fn),
    );
    return ipcRenderer;
  };
  const on = (ch, fn) => {
    listeners.set(ch, [...(listeners.get(ch) ?? []), fn]);
    return ipcRenderer;
  };
  const once = (ch, fn) => {
    const w = (...a) => {
      off(ch, w);
      fn(...a);
    };
    w.orig = fn;
    return on(ch, w);
  };
  const no = (name) => () => {
    throw new Error(`electron stand-in: ${name} is not supported`);
  };
  const ipcRenderer = {
    on,
    once,
    off,
    addListener: on,
    removeListener: off,
    removeAllListeners: (ch) => {
      if (ch) listeners.delete(ch);
      else listeners.clear();
      return ipcRenderer;
    },
    listenerCount: (ch) => (listeners.get(ch) ?? []).length,
    send: (channel, ...args) => post({ t: 'send', channel, args }),
    invoke: (channel, ...args) =>
      new Promise((res, rej) => {
        const id = ++seq;
        waiting.set(id, [res, rej]);
        try {
          post({ t: 'invoke', id, channel, args });
        } catch (e) {
          waiting.delete(id);
          rej(e);
        }
      }),
    sendSync: no('ipcRenderer.sendSync'),
    postMessage: no('ipcRenderer.postMessage'),
  };
  globalThis.__standinDeliver = (text) => {
    const m = codec.decode(text);
    if (m.t === 'reply') {
      const p = waiting.get(m.id);
      waiting.delete(m.id);
      if (p) m.ok ? p[0](m.value) : p[1](new Error(m.value));
    } else
      for (const l of [...(listeners.get(m.channel) ?? [])])
        try {
          l({ sender: ipcRenderer, ports: [] }, ...m.args);
        } catch (e) {
          reportError(e);
        }
  };
  const keys = new Set();
  const contextBridge = {
    exposeInMainWorld(key, api) {
      if (keys.has(key))
        throw new Error(`Cannot bind an API on top of an existing property on the window object`);
      keys.add(key);
      const e = [key, bridge.wrap(api)];
      exposed.push(e);
      bridge.post('expose', ...e);
    },
  };
  const electron = { contextBridge, ipcRenderer, webUtils: { getPathForFile: () => '' } };
  const require = (id) => {
    if (/^electron(\/(renderer|common))?$/.test(id)) return electron;
    throw new Error(`module not found: ${id}`);
  }; // as in a sandboxed preload
  try {
    runPreload?.(require, cfg.process);
  } catch (e) {
    console.error(`Unable to load preload script: ${cfg.preload}\n${e?.stack ?? e}`);
    post({ t: 'preload-error', error: e });
  }
}

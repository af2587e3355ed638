// Shared by the parts of the stand-in.
export const state = {
  ...(globalThis.__standin ?? { appPath: process.cwd(), pkg: {}, version: '0.0.0', packaged: false }),
  ready: false,
  quitting: false,
  exiting: false,
  /** id → BrowserWindow. */
  windows: new Map(),
  /** Promise of Playwright's browser context, from the start on. */
  browser: null,
  /** Chromium's own first tab; the first window uses it. */
  spare: null,
  /** Promise of a second instance's command line being handed to the first. */
  handover: null,
};

/** Every call whose only effect in real Electron is outside the process: { name, args }. */
export const calls = [];
export const record =
  (name, result) =>
  (...args) => {
    calls.push({ name, args });
    return result;
  };

/** Wraps an object so that missing members throw instead of being undefined. */
export const strict = (name, target) =>
  new Proxy(target, {
    get(object, key) {
      const asked =
        typeof key === 'symbol' || ['then', 'toJSON', 'asymmetricMatch', 'nodeType'].includes(key);
      if (!(key in object) && !asked)
        throw new TypeError(`electron stand-in: ${name}.${String(key)} is not implemented`);
      const value = Reflect.get(object, key);
      const callable = typeof value === 'function' && !/^class/.test(Function.prototype.toString.call(value));
      return callable ? value.bind(object) : value;
    },
  });

export const inert = (name, ...methods) =>
  strict(name, Object.fromEntries(methods.map((method) => [method, () => undefined])));

export const preventable = (extra = {}) => ({
  defaultPrevented: false,
  preventDefault() {
    this.defaultPrevented = true;
  },
  ...extra,
});

/** Notifies the test that started this process. */
export const notify = (message) => {
  // A test that ends the application closes the channel first.
  if (process.connected) process.send({ standin: true, ...message });
};

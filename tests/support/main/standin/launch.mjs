// Starts the desktop application in tests: in real Electron if its runtime is installed, else in the stand-in. `kind`
// says which.
import { fork } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, chromium } from 'playwright-core';
import { makeCodec } from './codec.mjs';

const codec = makeCodec();

/** The installed Electron executable; never triggers its download. */
export function electronRuntime() {
  if (process.env.ELECTRON_STANDIN === '1') return null;
  const folder = path.dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const file = path.join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? path.join(folder, 'dist'), 'electron');
  return fs.existsSync(file) ? file : null;
}

export async function launchApp({ appDir, args = [], env: given = {}, userData } = {}) {
  userData ??= fs.mkdtempSync(path.join(os.tmpdir(), 'wishbench-desktop-'));
  // Never the developer's own bench.
  const env = { WISHBENCH_DATA: path.join(userData, 'bench'), ...given };
  const runtime = electronRuntime();
  if (!runtime) return launchStandIn({ appDir, args, env, userData });
  const app = await _electron.launch({
    executablePath: runtime,
    args: [appDir, `--user-data-dir=${userData}`, '--no-sandbox', ...args],
    env: { ...process.env, ...env },
  });
  const exit = new Promise((resolve) => app.process().once('exit', resolve));
  return {
    kind: 'electron',
    userData,
    process: app.process(),
    exit,
    log: [],
    firstWindow: () => app.firstWindow(),
    evaluate: (work, arg) => app.evaluate(work, arg),
    close: async () => {
      await app.close();
      return exit;
    },
  };
}

function launchStandIn({ appDir, args, env, userData }) {
  const child = fork(fileURLToPath(new URL('./run.mjs', import.meta.url)), [appDir, ...args], {
    env: { ...process.env, ...env, ELECTRON_STANDIN_USER_DATA: userData },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => log.push(String(data)));
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const died = exit.then((code) => {
    throw new Error(`the application exited with ${code}\n${log.join('')}`);
  });
  died.catch(() => {});

  const windows = [];
  const waiting = [];
  const pending = new Map();
  const consoleLines = [];
  let sequence = 0;
  let port;
  let browserStarted;
  const browser = new Promise((resolve) => {
    browserStarted = resolve;
  });
  child.on('message', (message) => {
    if (!message.standin) return;
    switch (message.event) {
      case 'browser':
        port = message.port;
        browserStarted();
        return;
      case 'window':
        windows.push(message.targetId);
        for (const resolve of waiting.splice(0)) resolve();
        return;
      case 'console':
      case 'pageerror':
        consoleLines.push(`${message.level ?? 'pageerror'}: ${message.text}`);
        return;
      case 'result': {
        const [resolve, reject] = pending.get(message.id);
        pending.delete(message.id);
        if (message.ok) resolve(codec.decode(message.value));
        else reject(new Error(message.value));
      }
    }
  });

  let cdp;
  const pageOf = async (targetId) => {
    cdp ??= await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const context = cdp.contexts()[0];
    // The test's own deadline ends it.
    while (child.exitCode === null) {
      for (const page of context.pages()) {
        const session = await context.newCDPSession(page);
        const { targetInfo } = await session.send('Target.getTargetInfo');
        await session.detach();
        if (targetInfo.targetId === targetId) return page;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('window not found');
  };

  return {
    kind: 'stand-in',
    userData,
    process: child,
    exit,
    log,
    consoleLines,
    async firstWindow() {
      await Promise.race([browser, died]);
      if (windows.length === 0) await Promise.race([new Promise((resolve) => waiting.push(resolve)), died]);
      return pageOf(windows[0]);
    },
    evaluate: (work, arg) =>
      new Promise((resolve, reject) => {
        const id = ++sequence;
        pending.set(id, [resolve, reject]);
        child.send({ standin: 'evaluate', id, fn: String(work), arg: codec.encode(arg) });
        died.catch(reject);
      }),
    async close() {
      if (child.exitCode === null) child.disconnect();
      const code = await exit;
      await cdp?.close().catch(() => {});
      return code;
    },
  };
}

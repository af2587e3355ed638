import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { extractAll } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appRoot } from '../../server/paths.ts';
import packageDir from './package-dir.ts';

// Outside the project: Node would find the project's node_modules from inside and hide a missing file.
const outside = mkdtempSync(path.join(tmpdir(), 'wishbench-package-'));
const extracted = path.join(outside, 'app');
let packaged = '';

beforeAll(async () => {
  packaged = await packageDir();
  extractAll(path.join(packaged, 'resources', 'app.asar'), extracted);
}, 180_000);

afterAll(() => rmSync(outside, { recursive: true, force: true }));

describe('the packaged application', () => {
  test('is complete: the service starts from it, builds a design and reads its registers', async () => {
    const service = spawn(
      process.execPath,
      [
        path.join(extracted, 'dist/server/cli.js'),
        'serve',
        '--port',
        '0',
        '--data',
        path.join(outside, 'data'),
      ],
      { cwd: outside, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const errors: string[] = [];
    service.stderr.on('data', (text) => errors.push(String(text)));
    try {
      let url = '';
      for await (const line of createInterface({ input: service.stdout })) {
        url = /listening on (\S+)/.exec(line)?.[1] ?? '';
        if (url !== '') break;
      }
      expect(url, errors.join('')).not.toBe('');
      const call = async (route: string, init?: RequestInit) =>
        (await (await fetch(url + route, init)).json()) as { job_id: string; status: string };

      expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toContain(
        '<div id="root"',
      );
      const form = new FormData();
      form.append(
        'file',
        new Blob([readFileSync(path.join(appRoot, 'resources/examples/echo.v'))]),
        'echo.v',
      );
      const submitted = await call('/fpga/0/submit', { method: 'POST', body: form });
      const ended = async (id: string): Promise<string> => {
        for (;;) {
          const { status } = await call(`/fpga/0/jobs/${id}?wait=30`);
          if (status !== 'queued' && status !== 'running') return status;
        }
      };
      const status = await ended(submitted.job_id);
      expect(status, await (await fetch(`${url}/fpga/0/jobs/${submitted.job_id}/logs`)).text()).toBe(
        'complete',
      );
      for (const request of [
        { op: 1, address: 64, data: [0xdeadbeef] },
        { op: 2, address: 64, count: 1 },
      ]) {
        const { job_id } = await call('/fpga/0/run', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(request),
        });
        expect(await ended(job_id)).toBe('complete');
        if (request.op === 2)
          expect(await call(`/fpga/0/jobs/${job_id}/result`)).toEqual({ ok: true, data: [0xdeadbeef] });
      }
    } finally {
      const gone = new Promise((resolve) => service.once('exit', resolve));
      service.kill('SIGTERM');
      await gone;
    }
  }, 120_000);

  test('has its native modules outside the archive and no package of the GUI inside', () => {
    const unpacked = path.join(packaged, 'resources', 'app.asar.unpacked', 'node_modules');
    expect(existsSync(path.join(unpacked, '@serialport', 'bindings-cpp', 'prebuilds'))).toBe(true);
    expect(existsSync(path.join(extracted, 'node_modules', 'react'))).toBe(false);
    expect(existsSync(path.join(extracted, 'node_modules', 'electron'))).toBe(false);
  });

  test('has Electron fuses set: no Node mode, no inspector, code only from the archive', async () => {
    const wire = await getCurrentFuseWire(path.join(packaged, 'wishbench'));
    const on = '1'.charCodeAt(0);
    const off = '0'.charCodeAt(0);
    expect(wire[FuseV1Options.RunAsNode]).toBe(off);
    expect(wire[FuseV1Options.EnableNodeOptionsEnvironmentVariable]).toBe(off);
    expect(wire[FuseV1Options.EnableNodeCliInspectArguments]).toBe(off);
    expect(wire[FuseV1Options.OnlyLoadAppFromAsar]).toBe(on);
    expect(wire[FuseV1Options.EnableCookieEncryption]).toBe(on);
  });

  test('installs its udev rules without losing what electron-builder’s own deb scripts do', () => {
    const builder = path.dirname(createRequire(import.meta.url).resolve('app-builder-lib/package.json'));
    for (const name of ['after-install', 'after-remove']) {
      const script = readFileSync(path.join(appRoot, 'release/scripts', `${name}.tpl`), 'utf8');
      const theirs = readFileSync(path.join(builder, 'templates/linux', `${name}.tpl`), 'utf8');
      expect(script.startsWith(theirs.trimEnd())).toBe(true);
      expect(script).toContain('udevadm control --reload-rules');
    }
    const yaml = readFileSync(path.join(appRoot, 'electron-builder.yml'), 'utf8');
    expect(yaml).toContain('resources/udev/70-wishbench.rules=/usr/lib/udev/rules.d/70-wishbench.rules');
    expect(existsSync(path.join(appRoot, 'resources/udev/70-wishbench.rules'))).toBe(true);
  });
});

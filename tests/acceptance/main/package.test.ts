import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { extractAll } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLicenceFile, tidy } from '../../../resources/licences/licence-text.ts';
import { NOTICES } from '../../../resources/licences/notices.ts';
import { shippedPackages } from '../../../resources/licences/shipped-packages.ts';
import { appRoot } from '../../../server/paths.ts';
import { modulePath } from '../../../server/toolchain/engines/embedded/tool-packages.ts';
import { packageDir } from '../../support/main/package-dir.ts';

// Outside the project: Node would find the project's node_modules from inside and hide a missing file.
const outside = mkdtempSync(path.join(tmpdir(), 'wishbench-package-'));
const extracted = path.join(outside, 'app');
let packaged = '';

beforeAll(async () => {
  packaged = await packageDir();
  extractAll(path.join(packaged, 'resources', 'app.asar'), extracted);
  // The tools are those of the project, to the byte.
  for (const tool of ['yosys', 'nextpnr-ice40'] as const) {
    const ours = modulePath(tool);
    const theirs = path.join(extracted, path.relative(appRoot, ours));
    expect(readFileSync(theirs).equals(readFileSync(ours))).toBe(true);
    // With the same date too, so that code which was compiled of them before serves for these.
    rmSync(theirs);
    symlinkSync(ours, theirs);
  }
});

afterAll(() => rmSync(outside, { recursive: true, force: true }));

/** Folders of the modules below a node_modules, those of modules' own included. */
const modulesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) =>
      name.startsWith('@')
        ? readdirSync(path.join(folder, name)).map((inside) => path.join(folder, name, inside))
        : [path.join(folder, name)],
    )
    .flatMap((module) => {
      const own = path.join(module, 'node_modules');
      return [module, ...(existsSync(own) ? modulesBelow(own) : [])];
    });

const manifestOf = (folder: string): { name: string; version: string } =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

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
    const gone = once(service, 'exit');
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
      expect(await (await fetch(`${url}/third-party-notices.txt`)).text()).toContain('\nreact-dom ');
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
      service.kill('SIGTERM');
      await gone;
    }
  });

  test('includes the licence of every module, as a file of the module or in the notices', () => {
    const notices = readFileSync(path.join(packaged, NOTICES), 'utf8');
    const modules = modulesBelow(path.join(extracted, 'node_modules'));
    expect(modules.length).toBeGreaterThan(100);
    const shipped = shippedPackages();
    const without = modules.filter((folder) => {
      const { name, version } = manifestOf(folder);
      const text = readdirSync(folder)
        .filter(isLicenceFile)
        .map((file) => tidy(readFileSync(path.join(folder, file), 'utf8')))
        .join('\n\n');
      // electron-builder may put it into another folder than npm did.
      const installed = shipped.find((one) => one.name === name && one.version === version)?.folder;
      if (installed === undefined) return true;
      const lost = text === '' && readdirSync(path.join(appRoot, installed)).some(isLicenceFile);
      return lost || !notices.includes(`\n${name} ${version} (`) || !notices.includes(text);
    });
    expect(without.map((folder) => path.relative(extracted, folder))).toEqual([]);
  });

  test('includes the licences of the packages bundled into the GUI, and serves them', () => {
    const notices = readFileSync(path.join(packaged, NOTICES), 'utf8');
    const { 'dist/renderer': bundled = [] } = JSON.parse(
      readFileSync(path.join(appRoot, 'dist/bundled-packages.json'), 'utf8'),
    ) as Record<string, string[]>;
    expect(bundled).toEqual(
      expect.arrayContaining(['node_modules/react-dom', 'node_modules/@codemirror/view']),
    );
    for (const folder of bundled) {
      const { name, version } = manifestOf(path.join(appRoot, folder));
      expect(notices).toContain(`\n${name} ${version} (`);
    }
    expect(readFileSync(path.join(extracted, 'dist/renderer/third-party-notices.txt'), 'utf8')).toBe(notices);
  });

  test('lists only shipped packages and compiled-in tools in its notices', () => {
    const notices = readFileSync(path.join(packaged, NOTICES), 'utf8');
    for (const tool of ['Yosys', 'slang', 'nextpnr', 'Project IceStorm', 'ABC'])
      expect(notices).toMatch(new RegExp(`^${tool} \\(`, 'm'));
    expect(notices).toContain('Claire Xenia Wolf');
    const present = new Set(
      modulesBelow(path.join(extracted, 'node_modules')).map((folder) => manifestOf(folder).name),
    );
    const bundled = Object.values(
      JSON.parse(readFileSync(path.join(appRoot, 'dist/bundled-packages.json'), 'utf8')) as Record<
        string,
        string[]
      >,
    ).flat();
    const surplus = shippedPackages().filter(
      ({ name, folder, partOf }) => !present.has(name) && !bundled.includes(folder) && partOf === null,
    );
    expect(surplus).toEqual([]);
    expect(readFileSync(path.join(packaged, 'LICENSE'), 'utf8')).toContain('MIT License');
  });

  test('includes the Python client as a file that scripts can import', () => {
    const [there, ours] = [packaged, path.join(appRoot, 'resources')].map((folder) =>
      readFileSync(path.join(folder, 'clients', 'python', 'wishbench.py'), 'utf8'),
    );
    expect(there).toBe(ours);
  });

  test('has its native modules outside the archive and no package of the GUI inside', () => {
    const unpacked = path.join(packaged, 'resources', 'app.asar.unpacked', 'node_modules');
    expect(existsSync(path.join(unpacked, '@serialport', 'bindings-cpp', 'prebuilds'))).toBe(true);
    expect(existsSync(path.join(extracted, 'node_modules', 'react'))).toBe(false);
    expect(existsSync(path.join(extracted, 'node_modules', 'electron'))).toBe(false);
  });

  test('ships only one build of Yosys, with its cell libraries', () => {
    const unpacked = path.join(packaged, 'resources', 'app.asar.unpacked');
    expect(existsSync(path.join(unpacked, 'dist', 'server', 'yosys.wasm'))).toBe(true);
    const own = readdirSync(path.join(unpacked, 'node_modules', '@yowasp', 'yosys', 'gen'));
    expect(own).toContain('yosys-resources.0.tar');
    expect(own.filter((name) => name.endsWith('.wasm'))).toEqual([]);
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

  test('installs its udev rules and keeps electron-builder’s own deb scripts', () => {
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

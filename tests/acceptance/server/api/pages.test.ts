import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { distPath } from '../../../../server/paths.ts';
import { head, sendRaw } from '../../../support/api/raw-http.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the GUI on the same origin', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start();
  });
  afterAll(() => bench.stop());

  test('its screens are HTML for browsers and JSON for API clients', async () => {
    for (const route of ['/', '/node/3', '/job/0', '/bench', '/jobs', '/jobs/', '/boards', '/settings']) {
      const page = await bench.get<string>(route, { headers: HTML });
      expect([route, page.status, page.headers.get('content-type')]).toEqual([
        route,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(page.body).toContain('<title>Wishbench</title>');
      expect(page.headers.get('cache-control')).toBe('no-cache');
    }
    for (const route of ['/jobs', '/boards', '/settings'])
      for (const accept of ['application/json', '*/*', 'application/json, text/html']) {
        const data = await bench.get(route, { headers: { accept } });
        expect([route, data.headers.get('content-type')]).toEqual([route, 'application/json; charset=utf-8']);
        expect(data.headers.get('vary')).toContain('accept');
      }
    expect((await bench.get('/node/3')).status).toBe(404);
    expect((await bench.get('/fpga', { headers: HTML })).body).toHaveLength(10);
    expect((await bench.post('/settings', { headers: HTML })).status).toBe(405);
  });

  test('uses only relative addresses, for a proxy with a path prefix', async () => {
    const page = await bench.get<string>('/', { headers: HTML });
    const docs = await bench.get<string>('/docs');
    for (const { body } of [page, docs]) {
      const addresses = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
      expect(addresses.length).toBeGreaterThan(2);
      for (const address of addresses) expect(address).not.toMatch(/^(?:\/|https?:)/);
    }
    const serverAt = async (at: string) => {
      const { body } = await bench.get<{ servers: { url: string }[] }>(at);
      // Clients append paths that begin with a slash.
      expect(body.servers[0]?.url).not.toMatch(/\/$/);
      return new URL(body.servers[0]?.url ?? '', `http://lab/bench${at}`).href;
    };
    for (const at of ['/openapi.json', '/docs/json']) expect(await serverAt(at)).toBe('http://lab/bench/');
  });

  test('redirects deep links to their places in the page', async () => {
    for (const [link, place] of [
      ['/node/3', '/#/node/3'],
      ['/node/3/', '/#/node/3/'],
      ['/node/3?job=7&line=2', '/#/node/3?job=7&line=2'],
      ['/jobs', '/#/jobs'],
      ['/node/3?bench=hall-b&job=7', '/?bench=hall-b#/node/3?job=7'],
    ]) {
      const { status, headers } = await sendRaw(bench.url, head(bench.url, `GET ${link}`, HTML));
      expect([link, status, headers['vary']]).toEqual([link, 302, 'accept']);
      expect(new URL(headers['location'] ?? '', `http://lab/bench${link}`).href).toBe(
        `http://lab/bench${place}`,
      );
    }
  });

  test('caches its files by name, and serves no other file of the disk', async () => {
    const names = readdirSync(distPath('renderer', 'assets'));
    const script = names.find((name) => name.endsWith('.js')) ?? '';
    const answer = await bench.get(`/assets/${script}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect(answer.headers.get('content-type')).toMatch(/javascript/);
    // Not with fetch, which bypasses caches when it sends an ETag itself.
    const etag = answer.headers.get('etag') ?? '';
    const again = await sendRaw(
      bench.url,
      head(bench.url, `GET /assets/${script}`, { 'If-None-Match': etag, 'Accept-Encoding': 'gzip' }),
    );
    expect(again.status).toBe(304);
    for (const route of [
      '/../package.json',
      '/..%2fpackage.json',
      '/assets/..%2f..%2f..%2fpackage.json',
      '/%2e%2e/package.json',
      '/assets//etc/passwd',
      '/.env',
      '/assets',
      '/assets/',
      '/index.html.bak',
      '/assets/%00',
      '/C:%5cwindows',
    ]) {
      const refused = await bench.get<Refusal>(route);
      expect([route, refused.status]).toEqual([route, 404]);
      expect(refused.body.detail.error).toBe('not_found');
    }
  });

  test('HEAD answers like GET, without the body', async () => {
    for (const route of ['/', '/fpga', '/fpga/3', '/health', '/openapi.json', '/jobs']) {
      const answer = await fetch(bench.url + route, { method: 'HEAD' });
      expect([route, answer.status, await answer.text()]).toEqual([route, 200, '']);
    }
    expect((await fetch(`${bench.url}/events`, { method: 'HEAD' })).status).toBe(405);
  });
});

describe('without a GUI build', () => {
  test('a plain page explains how to build the GUI; a later build is served', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-gui-'));
    const guiFolder = path.join(folder, 'renderer');
    const bench = await TestBench.start({ guiFolder });
    const page = await bench.get<string>('/', { headers: HTML });
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('npm run build')]);
    expect((await bench.get('/assets/x.js')).status).toBe(404);
    mkdirSync(guiFolder);
    writeFileSync(path.join(guiFolder, 'index.html'), '<!doctype html><title>built</title>');
    expect((await bench.get<string>('/', { headers: HTML })).body).toContain('built');
    await bench.stop();
    rmSync(folder, { recursive: true });
  });
});

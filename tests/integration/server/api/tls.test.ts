import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import { Outgoing } from '../../../../server/api/edge/outgoing.ts';
import { Listener } from '../../../../server/api/network/listener.ts';
import { SecureListening } from '../../../../server/api/network/tls/secure-listening.ts';
import { type Clock, systemClock } from '../../../../server/clock.ts';
import type { BenchStatus } from '../../../../server/contract/bench/bench.ts';
import { createLogger } from '../../../../server/log.ts';
import { nodeFileSystem } from '../../../../server/store/filesystem.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

interface Got {
  status: number | undefined;
  headers: http.IncomingHttpHeaders;
  fingerprint: string;
}

/** A request over TLS that trusts only this certificate. */
const get = (url: string, ca: Buffer, agent?: https.Agent) =>
  new Promise<Got>((resolve, reject) => {
    const request = https.get(url, { ca, ...(agent ? { agent } : {}) }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, fingerprint: fingerprint256 }),
      );
    });
    request.on('error', reject);
  });

/** A listener of its own, without a bench. */
function listenerOn(clock: Clock): Listener {
  const logger = createLogger('silent');
  const outgoing = new Outgoing({ clock, onDropped() {} });
  cleanUp.push(() => outgoing.close());
  return new Listener({ clock, logger, outgoing });
}

/** The same, over TLS. */
function secureOn(clock: Clock, folder: string) {
  const listener = listenerOn(clock);
  listener.serve((_request, response) => response.end('here'));
  const logger = createLogger('silent');
  const secure = new SecureListening({ listener, files: nodeFileSystem, folder, clock, logger });
  cleanUp.push(() => {
    secure.close();
    listener.stop();
  });
  return { secure, listener };
}

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanUp.splice(0).reverse()) await end();
});

async function temporary(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-tls-'));
  cleanUp.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A certificate of an authority of the house. */
async function made(
  folder: string,
  name: string,
): Promise<{ certificate: string; key: string; cert: Buffer }> {
  const pem = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const certificate = path.join(folder, 'site.pem');
  const key = path.join(folder, 'site.key');
  writeFileSync(certificate, pem.cert);
  writeFileSync(key, pem.private);
  return { certificate, key, cert: Buffer.from(pem.cert) };
}

const open = (bench: TestBench, tls: object) =>
  bench.put<Refusal>('/settings', { json: { network: { lan: true, tls, tls_port: 0 } } });

const status = async (bench: TestBench) => (await bench.get<BenchStatus>('/status', operator)).body;
const operator = { headers: { 'x-operator-token': 'the-operator' } };

describe('TLS on the LAN', () => {
  test('with the bench’s own certificate: HTTPS with a fingerprint; plain HTTP only on loopback', async () => {
    const bench = await TestBench.start();
    cleanUp.push(() => bench.stop());
    expect((await open(bench, { kind: 'own' })).status).toBe(200);
    const { lan } = (await bench.get<BenchStatus>('/status', { headers: {} })).body ?? {};
    // Opening the LAN enforces keys; the operator on this computer reads the settings without one.
    expect(lan).toBeUndefined();
    const [address = ''] = bench.bench.lanUrls;
    const { port, protocol } = new URL(address);
    expect(protocol).toBe('https:');
    const ca = readFileSync(path.join(bench.folder, 'tls', 'certificate.pem'));
    const got = await get(`https://localhost:${port}/health`, ca);
    expect(got.status).toBe(200);
    // A proxy can add HSTS: here it would block plain HTTP on the same name for a year.
    expect(got.headers['strict-transport-security']).toBeUndefined();
    expect((await fetch(`${bench.url}/health`)).status).toBe(200);
    await expect(fetch(`http://localhost:${port}/health`)).rejects.toThrow();

    await bench.put('/settings', { json: { network: { lan: false } } });
    await expect(get(`https://localhost:${port}/health`, ca)).rejects.toThrow();
    expect(bench.bench.lanUrls).toEqual([]);
  });

  test('its fingerprint is shown and survives a restart', async () => {
    const bench = await TestBench.start({ operatorToken: 'the-operator' });
    cleanUp.push(() => bench.stop());
    await bench.put('/settings', {
      ...operator,
      json: { network: { lan: true, tls: { kind: 'own' }, tls_port: 0 } },
    });
    const before = (await status(bench)).lan.tls;
    expect(before?.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(before?.names).toContain('localhost');
    expect(before?.self_signed).toBe(true);
    await bench.bench.close();
    const again = await TestBench.start({ operatorToken: 'the-operator', dataDir: bench.folder });
    cleanUp.push(() => again.bench.close());
    expect((await status(again)).lan.tls).toEqual(before);
  });

  test('with files: an unusable certificate or key is named in the error and opens nothing', async () => {
    const bench = await TestBench.start({ operatorToken: 'the-operator' });
    cleanUp.push(() => bench.stop());
    const folder = await temporary();
    const site = await made(folder, 'site');
    const other = await made(await temporary(), 'other');
    const expired = path.join(folder, 'nothing.pem');
    for (const [tls, words] of [
      [{ kind: 'files', certificate: expired, key: site.key }, /cannot be read: no such file/],
      [{ kind: 'files', certificate: site.certificate, key: other.key }, /does not belong/],
      [{ kind: 'files', certificate: site.key, key: site.certificate }, /not a readable PEM file/],
    ] as const) {
      const refused = await bench.put<Refusal>('/settings', {
        ...operator,
        json: { network: { lan: true, tls, tls_port: 0 } },
      });
      expect(refused.status).toBe(409);
      expect(refused.body.detail.error).toBe('certificate_unusable');
      expect(refused.body.detail.message).toMatch(words);
      expect(bench.bench.lanUrls).toEqual([]);
      expect((await status(bench)).lan).toEqual({ enabled: false, addresses: [], tls: null });
    }
    const { certificate, key } = site;
    await bench.put('/settings', {
      ...operator,
      json: { network: { lan: true, tls: { kind: 'files', certificate, key }, tls_port: 0 } },
    });
    const [address = ''] = bench.bench.lanUrls;
    const { port } = new URL(address);
    expect((await get(`https://localhost:${port}/health`, site.cert)).status).toBe(200);
    expect((await status(bench)).lan.tls?.self_signed).toBe(false);
  });

  test('a certificate file missing at the next start leaves the LAN closed and the bench running', async () => {
    const bench = await TestBench.start({ operatorToken: 'the-operator' });
    cleanUp.push(() => bench.stop());
    const { certificate, key } = await made(await temporary(), 'site');
    await bench.put('/settings', {
      ...operator,
      json: { network: { lan: true, tls: { kind: 'files', certificate, key }, tls_port: 0 } },
    });
    await bench.bench.close();
    await rm(certificate);
    const again = await TestBench.start({ operatorToken: 'the-operator', dataDir: bench.folder });
    cleanUp.push(() => again.bench.close());
    expect(again.bench.lanUrls).toEqual([]);
    expect((await again.get('/health')).status).toBe(200);
    const settings = await again.get<{ notices: string[] }>('/settings', operator);
    expect(settings.body.notices.join(' ')).toMatch(/site\.pem cannot be read/);
  });
});

test('a renewed certificate is loaded without ending a connection', async () => {
  const folder = await temporary();
  const first = await made(folder, 'first');
  // The certificate's times are the system's, so the clock begins there.
  const clock = new FakeClock(systemClock.now());
  const { secure, listener } = secureOn(clock, folder);
  const tls = { kind: 'files', certificate: first.certificate, key: first.key } as const;
  await secure.apply({ lan: true, tls, tlsPort: 0, allowedHosts: [] });
  const url = `https://localhost:${listener.port}/`;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  cleanUp.push(() => agent.destroy());
  const before = await get(url, first.cert, agent);

  const second = await made(folder, 'second');
  await secure.renew();
  expect(secure.view?.fingerprint).not.toBe(before.fingerprint);
  // The open connection continues under its certificate.
  expect((await get(url, first.cert, agent)).fingerprint).toBe(before.fingerprint);
  expect((await get(url, second.cert)).fingerprint).toBe(secure.view?.fingerprint);

  writeFileSync(first.certificate, 'nonsense');
  await secure.renew();
  expect((await get(url, second.cert)).status).toBe(200);
});

test('the bench’s own certificate is renewed before it expires, and when the host name changes', async () => {
  const folder = await temporary();
  let now = systemClock.now();
  const clock = { ...systemClock, now: () => now };
  const { secure } = secureOn(clock, folder);
  const wish = { lan: true, tls: { kind: 'own' }, tlsPort: 0, allowedHosts: [] } as const;
  await secure.apply(wish);
  const first = secure.view?.fingerprint;
  now += 700 * 86_400_000;
  await secure.renew();
  expect(secure.view?.fingerprint).toBe(first);
  now += 100 * 86_400_000;
  await secure.renew();
  const second = secure.view?.fingerprint;
  expect(second).not.toBe(first);
  await secure.apply({ ...wish, allowedHosts: ['bench.example'] });
  expect(secure.view?.names).toContain('bench.example');
  expect(secure.view?.fingerprint).not.toBe(second);
});

test('an occupied port is reported, and the LAN stays closed', async () => {
  const taken = http.createServer().listen(0, '0.0.0.0');
  await new Promise((resolve) => taken.once('listening', resolve));
  cleanUp.push(() => taken.close());
  const bench = await TestBench.start({ operatorToken: 'the-operator' });
  cleanUp.push(() => bench.stop());
  const refused = await bench.put<Refusal>('/settings', {
    ...operator,
    json: { network: { lan: true, tls: { kind: 'own' }, tls_port: (taken.address() as AddressInfo).port } },
  });
  expect([refused.status, refused.body.detail.error]).toEqual([409, 'address_unavailable']);
  expect(bench.bench.lanUrls).toEqual([]);
});

import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../../support/api/run-cli.ts';

/** The command against a service whose certificate no authority vouches for. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-trust-'));
const asked: string[] = [];
let service: https.Server;
let url = '';
let fingerprint = '';

beforeAll(async () => {
  const names = [{ type: 7 as const, ip: '127.0.0.1' }];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'a bench' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [{ name: 'subjectAltName', altNames: names }],
  });
  fingerprint = new X509Certificate(cert).fingerprint256;
  writeFileSync(path.join(folder, 'certificate.pem'), cert);
  service = https.createServer({ key, cert }, ({ headers }, answer) => {
    asked.push(String(headers['x-api-key']));
    answer.setHeader('content-type', 'application/json').end('[]');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

const nodes = (...args: string[]) =>
  runCli(['nodes', '--json', '--url', url, '--key', 'ada', ...args], {
    XDG_CONFIG_HOME: folder,
    APPDATA: folder,
  });

test('an untrusted certificate is refused with a remedy', async () => {
  const { code, stderr } = await runCli(['nodes', '--url', url], {
    XDG_CONFIG_HOME: folder,
    APPDATA: folder,
  });
  expect([code, stderr]).toEqual([3, expect.stringMatching(/is not trusted \(.+\)\. Give --fingerprint /)]);
});

test('is trusted by its fingerprint in any spelling, or by its file', async () => {
  const spellings = [fingerprint, fingerprint.replaceAll(':', '').toLowerCase(), `SHA256:${fingerprint}`];
  for (const spelling of spellings)
    expect(await nodes('--fingerprint', spelling)).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  expect((await nodes('--ca', path.join(folder, 'certificate.pem'))).code).toBe(0);
  expect((await nodes('--ca', path.join(folder, 'absent.pem'))).stderr).toMatch(/absent\.pem cannot be read/);
});

test('a server with another certificate gets no key', async () => {
  asked.length = 0;
  const another = `${fingerprint.startsWith('00') ? '01' : '00'}${fingerprint.slice(2)}`;
  const { code, stderr } = await nodes('--fingerprint', another);
  expect(code).toBe(1);
  expect(JSON.parse(stderr).detail.message).toContain(`its SHA-256 is ${fingerprint}`);
  expect(asked).toEqual([]);
});

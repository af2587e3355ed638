import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectionErrorOf } from '../../../../server/benches/connection-errors.ts';
import { connectionCause } from '../../../../server/errors/connection.ts';
import type { Refusal } from '../../../support/api/test-bench.ts';
import { know, listen, OFTEN, start, stopAll, viewOf } from '../../../support/benches/several.ts';

afterEach(stopAll);

test('an unusable bench is shown with the cause and a remedy for every connection error', async () => {
  const a = await start();
  const own = await a.client().getOwnBench();
  const answering = (status: number, body: object) =>
    listen((_request, response) => void response.writeHead(status).end(JSON.stringify(body)));
  const refusal = (error: string) => ({ detail: { error, message: 'Not here.', job_id: null } });
  const [old, newer, locked, silent] = await Promise.all([
    answering(404, refusal('not_found')),
    answering(200, { ...own, bench_id: 'f'.repeat(16), version: '9.0.0', nodes: 'elsewhere' }),
    answering(401, refusal('invalid_api_key')),
    listen(() => {}),
  ]);
  const cutting = net.createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => cutting.once('listening', resolve));
  try {
    await know(a, [
      { name: 'off', address: 'http://127.0.0.1:9' },
      { name: 'old', address: old },
      { name: 'newer', address: newer },
      { name: 'locked', address: locked, key: 'wbk_of-before' },
      { name: 'unlocked', address: locked },
      { name: 'silent', address: silent },
      { name: 'plain', address: silent.replace('http:', 'https:') },
      { name: 'cutting', address: `http://127.0.0.1:${(cutting.address() as net.AddressInfo).port}` },
    ]);
    const expected: Record<string, [string, RegExp, RegExp]> = {
      off: ['bench_dead', /“off” does not answer: .*refuses the connection/, /Start the service there/],
      old: ['bench_version', /without support for other benches/, /same version/],
      newer: ['bench_version', /has version 9\.0\.0/, /same version/],
      locked: ['bench_refuses', /rejects the key/, /new key/],
      unlocked: ['bench_refuses', /requires a key from this bench/, /sign in there/],
      silent: ['bench_dead', /does not answer in time/, /firewall/],
      plain: ['bench_dead', /does not speak HTTPS/, /http:\/\//],
      cutting: ['bench_dead', /closed the connection/, /https:\/\//],
    };
    for (const [name, [error, message, remedy]] of Object.entries(expected)) {
      const problem = async () => (await viewOf(a, name))?.problem;
      await expect.poll(problem, OFTEN).toEqual({
        error,
        message: expect.stringMatching(message),
        remedy: expect.stringMatching(remedy),
      });
    }
    // A request through one of them gets the same error.
    const asked = await a.get<Refusal>('/benches/off/fpga');
    expect([asked.status, asked.body.detail.error]).toEqual([502, 'bench_dead']);
    expect(asked.body.detail.message).toMatch(/refuses the connection/);
  } finally {
    cutting.close();
  }
});

test('a cause is recognised by its code, also when nested', () => {
  const failed = (code: string) => Object.assign(new Error('It failed.'), { code });
  const causes: Record<string, string | null> = {
    ENOTFOUND: 'no_host',
    EAI_AGAIN: 'no_host',
    EHOSTUNREACH: 'no_route',
    CERT_HAS_EXPIRED: 'certificate_expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
    ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
    ERR_SSL_WRONG_VERSION_NUMBER: 'not_tls',
    HPE_INVALID_CONSTANT: 'not_tls',
    ETIMEDOUT: 'late',
    ESOMETHING: null,
  };
  for (const [code, cause] of Object.entries(causes)) {
    expect([code, connectionCause(failed(code))]).toEqual([code, cause]);
    expect(connectionCause(new Error('fetch failed', { cause: failed(code) }))).toBe(cause);
    const { message, remedy } = connectionErrorOf(failed(code), { name: 'b', address: 'https://lab:8443' });
    expect([message, remedy]).toEqual([
      expect.stringMatching(/^The bench “b” .*\.$/),
      expect.stringMatching(/\.$/),
    ]);
  }
  expect(connectionCause('no error')).toBeNull();
});

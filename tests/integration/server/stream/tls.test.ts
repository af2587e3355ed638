import https from 'node:https';
import { expect, test } from 'vitest';
import { TestBench } from '../../../support/api/test-bench.ts';
import { BinaryClient } from '../../../support/stream/binary-client.ts';

/** POST over the bench's own certificate, which no authority signed. */
const status = (url: string, headers: Record<string, string>, body: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = https.request(url, { method: 'POST', rejectUnauthorized: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end(body);
  });

test('streams work over TLS, and other upgrades are answered there too', async () => {
  const bench = await TestBench.start({ operatorToken: 'the token of the operator' });
  const token = { 'x-operator-token': 'the token of the operator' };
  try {
    await bench.put('/settings', {
      json: { network: { lan: true, tls: { kind: 'own' }, tls_port: 0 } },
      headers: token,
    });
    const [lan = ''] = bench.bench.lanUrls;
    expect(lan).toMatch(/^https:/);
    await bench.reserve(0, token);
    const client = await BinaryClient.open(lan, 0, token, { rejectUnauthorized: false });
    expect(await client.write(0, [3])).toEqual({ status: 0, words: [] });
    expect(await client.read(0, 1)).toEqual({ status: 0, words: [3] });
    client.close();
    await client.closed;
    const h2c = { ...token, upgrade: 'h2c', connection: 'Upgrade', 'content-type': 'application/json' };
    expect(await status(`${lan}/fpga/1/run`, h2c, JSON.stringify({ op: 2, address: 0 }))).toBe(409);
  } finally {
    await bench.stop();
  }
});

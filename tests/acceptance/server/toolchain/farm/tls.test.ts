import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WorkerProcess } from '../../../../support/farm.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

describe.skipIf(noRedis !== null)(
  'a queue over TLS, with a user and a password',
  { timeout: 300_000 },
  () => {
    const folder = temporaryFolder('tls');
    const certificate = path.join(folder, 'certificate.pem');
    let redis: RedisServer;
    let url: string;

    beforeAll(async () => {
      const made = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
        keyType: 'ec',
        curve: 'P-256',
        algorithm: 'sha256',
        // Its own authority, as of a lab.
        extensions: [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
        ],
      });
      const key = path.join(folder, 'key.pem');
      const users = path.join(folder, 'users.acl');
      writeFileSync(certificate, made.cert);
      writeFileSync(key, made.private);
      writeFileSync(users, 'user default off\nuser bench on >right ~* &* +@all\n');
      redis = await RedisServer.start([
        ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
        ...['--tls-auth-clients', 'no', '--aclfile', users],
      ]);
      url = redis.url.replace('redis://', 'rediss://bench:right@');
    });
    afterAll(() => redis?.stop());

    test('passes builds and their results if its authority is trusted', async () => {
      const known = { NODE_EXTRA_CA_CERTS: certificate };
      const worker = await WorkerProcess.stub({ url }, [], known);
      const bench = await WorkerProcess.script('tests/support/farm-build.ts', [url], known);
      try {
        await bench.says('built ');
        expect(await bench.ended).toBe(0);
      } finally {
        await Promise.all([worker.end(), bench.end()]);
      }
    });

    test('is not trusted otherwise', async () => {
      const worker = WorkerProcess.command(url, ['--data', folder]);
      try {
        await worker.says('self-signed certificate');
        expect(worker.output).not.toContain('worker ready');
      } finally {
        expect(await worker.end('SIGTERM')).toBe(0);
      }
    });
  },
);

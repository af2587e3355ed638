import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { checkQueue } from '../../../../../server/toolchain/farm/queue-check.ts';
import { noRedis, RedisServer } from '../../../../support/redis.ts';

describe.skipIf(noRedis !== null)('the doctor’s check of the build queue', () => {
  test('reports the cause and a remedy, and never the password', async () => {
    const redis = await RedisServer.start(['--requirepass', 'right']);
    const web = http.createServer((_request, response) => response.end('It works!')).listen(0, '127.0.0.1');
    await new Promise((listening) => web.once('listening', listening));
    try {
      const other = `127.0.0.1:${(web.address() as AddressInfo).port}`;
      const withPassword = (password: string) => redis.url.replace('//', `//:${password}@`);
      const said = await Promise.all(
        [
          withPassword('right'),
          withPassword('not-to-be-shown'),
          redis.url,
          withPassword('right').replace('redis:', 'rediss:'),
          'redis://127.0.0.1:1',
          'redis://nobody.invalid',
          `redis://${other}`,
          'http://127.0.0.1',
        ].map((address) => checkQueue(address, systemClock)),
      );
      expect(said.map(({ status }) => status)).toEqual(['ok', ...Array(7).fill('problem')]);
      for (const [at, message] of [
        /^redis:.* answers\.$/,
        /refuses the user or the password/,
        /refuses the user or the password/,
        /does not answer like Redis|does not answer/,
        /nothing listens on that port/,
        /its host name cannot be resolved/,
        /does not answer like Redis/,
        /must begin with redis:/,
      ].entries())
        expect(said[at]?.message).toMatch(message);
      expect(said.slice(1).every(({ remedy = '' }) => remedy.length > 20)).toBe(true);
      expect(JSON.stringify(said)).not.toMatch(/not-to-be-shown|right@/);
    } finally {
      web.close();
      await redis.stop();
    }
  });
});

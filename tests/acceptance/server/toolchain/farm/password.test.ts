import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../../../server/log.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { withRedis } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

describe.skipIf(noRedis !== null)('a queue with a password', () => {
  const farm = withRedis(['--requirepass', 'right']);
  const data = temporaryFolder('worker');

  test('a rejected worker logs the reason without the password', async () => {
    const url = farm.redis.url.replace('//', '//bench:not-to-be-shown@');
    const worker = WorkerProcess.command(url, ['--data', data, '--log-level', 'debug']);
    try {
      await worker.says('WRONGPASS');
      expect(worker.output).toContain(farm.redis.url);
      expect(worker.output).not.toContain('not-to-be-shown');
    } finally {
      expect(await worker.end('SIGTERM')).toBe(0);
    }
    expect(worker.output).not.toContain('worker ready');
  });

  test('a worker that cannot reach its queue is not ready, and ends on SIGTERM', async () => {
    const worker = WorkerProcess.command('redis://127.0.0.1:1', ['--data', data]);
    await worker.says('ECONNREFUSED');
    expect(await worker.end('SIGTERM')).toBe(0);
    expect(worker.output).not.toContain('worker ready');
  });

  test('does not log the commands that the client attaches to its errors', () => {
    const lines: string[] = [];
    const logger = createLogger('debug', { write: (line) => lines.push(line) });
    const command = { name: 'auth', args: ['bench', 'not-to-be-shown'] };
    logger.debug({ err: Object.assign(new Error('WRONGPASS'), { command }) }, 'of the queue');
    expect(lines.join('')).toContain('WRONGPASS');
    expect(lines.join('')).not.toContain('not-to-be-shown');
  });
});

import { describe, expect, test } from 'vitest';
import { afterSignal } from '../../support/api/cli-process.ts';
import { applicationCommand, smoke } from '../../support/main/smoke.ts';

const node = (script: string) => [process.execPath, '-e', script, '--'] as const;
/** Long enough on any machine. */
const AMPLE = { start: 120_000, quit: 120_000 };

/** Answers like the service, on the given port. */
const SERVICE = `require('node:http').createServer((request, response) => response.end('{"status":"ok"}'))
  .listen(Number(process.env.WISHBENCH_PORT), '127.0.0.1');`;

describe('the smoke test of the desktop application', () => {
  test('passes when it starts, answers and quits', async () => {
    const { health, exitCode } = await smoke(applicationCommand());
    expect(health.status).toBe('ok');
    expect(exitCode).toBe(afterSignal(0));
  });

  test('fails when the process exits before it responds, and shows its output', async () => {
    await expect(smoke(node('console.error("no display"); process.exit(3)'), AMPLE)).rejects.toThrow(
      /^It ended with 3 before it answered\.\nno display/,
    );
  });

  test('fails on a start timeout, and ends the process', async () => {
    await expect(smoke(node('setInterval(() => {}, 1000)'), { ...AMPLE, start: 1_000 })).rejects.toThrow(
      /did not answer within 1 s/,
    );
  });

  test('fails when the program does not exist', async () => {
    await expect(smoke(applicationCommand('no/such/program'), AMPLE)).rejects.toThrow(
      /^It could not be started: /,
    );
  });

  test.skipIf(process.platform === 'win32')(
    'fails when it does not quit or quits with an error',
    async () => {
      const deaf = smoke(node(`process.on('SIGTERM', () => {}); ${SERVICE}`), { ...AMPLE, quit: 500 });
      await expect(deaf).rejects.toThrow(/^It did not quit within 0\.5 s/);
      const sour = smoke(node(`process.on('SIGTERM', () => process.exit(7)); ${SERVICE}`), AMPLE);
      await expect(sour).rejects.toThrow(/^It ended with 7 when asked to quit/);
    },
  );
});

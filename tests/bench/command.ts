import { spawnSync } from 'node:child_process';
import { distPath } from '../../server/paths.ts';
import { atMost, type Figure, median, reported } from './figure.ts';
import { ServiceProcess } from './service-process.ts';

const TIMES = 15;

/** Milliseconds that a process with these arguments takes, from its start to its end, median. */
function startToEnd(args: string[], url: string): number {
  const took = Array.from({ length: TIMES }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, WISHBENCH_URL: url },
    });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - started;
  });
  return median(took);
}

/** How long a person or a script waits for one command of the command line. */
export async function measureCommand(): Promise<Figure[]> {
  const service = await ServiceProcess.start();
  try {
    return [
      atMost(
        'command, start to answer',
        startToEnd([distPath('server', 'cli.js'), 'nodes'], service.url),
        'ms',
        150,
      ),
      reported('of that Node itself', startToEnd(['--eval', ''], service.url), 'ms'),
    ];
  } finally {
    await service.stop();
  }
}

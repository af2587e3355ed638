import path from 'node:path';
import { systemClock } from '../../clock.ts';
import { LOG_FORMAT_HELP, LOG_FORMATS, LOG_LEVELS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { print } from '../output.ts';
import { EXIT, numberOf, UsageError } from '../usage.ts';

/** The command `worker`: builds for benches. */
export function declareWorker(line: CommandLine): void {
  line
    .command(
      'worker',
      'build jobs of the farm until interrupted',
      'wishbench worker --queue redis://queue.lab:6379 --concurrency 4',
      worker,
    )
    .option(
      '--queue <URL>',
      'redis://[user:password@]host[:port][/database], rediss:// for TLS; or $WISHBENCH_QUEUE',
    )
    .option('--concurrency <N>', 'builds at once; by default as many as cores and memory allow')
    .option(
      '--name <NAME>',
      'name of the worker; by default that of the host, with a number if another worker has it',
    )
    .option(
      '--data <DIR>',
      'cache of its builds; by default ~/.cache/wishbench-worker, on Windows %LOCALAPPDATA%\\Wishbench\\Worker',
    )
    .option('--lease <SECONDS>', 'silence after which other workers get its builds', '10')
    .option('--shared <MiB>', 'maximum size of the results that all benches share', '1024')
    .addOption(choice('--log-level <LEVEL>', 'minimum level of the log', LOG_LEVELS, 'info'))
    .addOption(choice('--log-format <FORMAT>', LOG_FORMAT_HELP, LOG_FORMATS))
    .addHelpText(
      'after',
      '\nAfter the first signal it finishes its builds; the second returns them to the queue.\n',
    );
}

interface WorkerCommandOptions {
  queue?: string;
  concurrency?: string;
  name?: string;
  data?: string;
  lease: string;
  shared: string;
  logLevel: (typeof LOG_LEVELS)[number];
  logFormat?: (typeof LOG_FORMATS)[number];
}

/** `worker`: makes the builds of a queue, until a signal. */
async function worker(options: WorkerCommandOptions): Promise<number> {
  // The environment, unlike arguments, is not in the list of processes.
  const address = options.queue ?? process.env['WISHBENCH_QUEUE'];
  delete process.env['WISHBENCH_QUEUE'];
  if (!address) throw new UsageError('--queue or $WISHBENCH_QUEUE is missing: redis://host:6379.');
  const { queueProblem } = await import('../../toolchain/farm/connection.ts');
  const problem = queueProblem(address);
  if (problem !== null) throw new UsageError(`--queue: ${problem}`);
  const { slotsOfMachine } = await import('../../toolchain/build/build-slots.ts');
  const slots =
    options.concurrency === undefined
      ? slotsOfMachine()
      : numberOf(options.concurrency, '--concurrency', 256);
  const lease = numberOf(options.lease, '--lease', 3600);
  if (slots < 1 || lease < 1) throw new UsageError('--concurrency and --lease must be at least 1.');
  const sharedBytes = numberOf(options.shared, '--shared', 1 << 20) * 2 ** 20;
  const [{ createLogger }, { logDestination }, { workerFolder }] = await Promise.all([
    import('../../log.ts'),
    import('../log-destination.ts'),
    import('../../toolchain/engines/embedded/cache-folder.ts'),
  ]);
  const logger = createLogger(options.logLevel, logDestination(options.logFormat));
  const dataDir = path.resolve(options.data ?? workerFolder());
  const signals = new Signals();

  const [{ DEFAULT_SETTINGS }, { createToolchain }, { startWorker }] = await Promise.all([
    import('../../contract/bench/settings.ts'),
    import('../../toolchain/index.ts'),
    import('../../toolchain/farm/worker.ts'),
  ]);
  const { cache_bytes: cacheLimitBytes } = DEFAULT_SETTINGS.toolchain;
  const tools = createToolchain({ dataDir, logger, slots, cacheLimitBytes });
  tools.warm();
  const started = await startWorker({
    address,
    ...(options.name === undefined ? {} : { name: options.name }),
    tools,
    slots,
    lease,
    sharedBytes,
    logger,
    clock: systemClock,
  });
  for (const { family, engine: by, language, versions } of await tools.capabilities())
    logger.info({ versions }, `builds ${language} for ${family} (${by})`);
  // The worker waits for an unreachable queue; its log has the reason.
  const wanted = signals.next();
  await Promise.race([started.ready, wanted]);
  if (!signals.came)
    print(`wishbench worker ready: ${slots === 1 ? 'one build' : `${slots} builds`} at once`);
  await wanted;
  logger.info('stopping after the running builds; a second signal returns them to the queue');
  await Promise.race([started.leave(), signals.next()]);
  await started.close();
  return EXIT.done;
}

/** The signals that end a program, one after the other. */
class Signals {
  #count = 0;
  #wanted: (() => void) | null = null;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        this.#count++;
        this.came = true;
        this.#wanted?.();
      });
  }

  /** Whether a signal has arrived. */
  came = false;

  /** Resolves with the next signal. */
  async next(): Promise<void> {
    if (this.#count === 0)
      await new Promise<void>((resolve) => {
        this.#wanted = resolve;
      });
    this.#count--;
  }
}

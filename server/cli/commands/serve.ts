import { LOG_FORMAT_HELP, LOG_FORMATS, LOG_LEVELS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { numberOf, UsageError } from '../usage.ts';

/** The command `serve`: the service. */
export function declareServe(line: CommandLine): void {
  line
    .command(
      'serve',
      'run the service until interrupted',
      'wishbench serve --port 8000 --data ~/bench',
      serve,
    )
    .option('--host <ADDRESS>', 'address to listen on; by default from the settings, else 127.0.0.1')
    .option('--port <PORT>', 'port to listen on; by default from the settings, else 8000; 0 picks a free one')
    .option('--data <DIR>', 'data directory; by default $WISHBENCH_DATA, else the desktop application’s')
    .addOption(choice('--log-level <LEVEL>', 'minimum level of the log', LOG_LEVELS, 'info'))
    .addOption(choice('--log-format <FORMAT>', LOG_FORMAT_HELP, LOG_FORMATS))
    .addHelpText('after', '\n$WISHBENCH_OPERATOR_TOKEN is a token with the operator’s right.\n');
}

/** The service ends within this time in any case; the promise is 5 s. */
const CLOSE_DEADLINE_MS = 4_000;

interface ServeOptions {
  host?: string;
  port?: string;
  data?: string;
  logLevel: (typeof LOG_LEVELS)[number];
  logFormat?: (typeof LOG_FORMATS)[number];
}

/** Runs the bench until a signal. */
async function serve(values: ServeOptions): Promise<number> {
  if (values.host === '') throw new UsageError('--host needs an address.');
  if (values.data === '') throw new UsageError('--data needs a directory.');
  const port = values.port === undefined ? undefined : numberOf(values.port, '--port', 65_535);
  // Child processes must not get it.
  const operatorToken = process.env['WISHBENCH_OPERATOR_TOKEN'];
  delete process.env['WISHBENCH_OPERATOR_TOKEN'];

  const [{ createLogger, RecentLines }, { logDestination }, { findDataFolder }] = await Promise.all([
    import('../../log.ts'),
    import('../log-destination.ts'),
    import('../../data-folder.ts'),
  ]);
  const recent = new RecentLines();
  const logger = createLogger(values.logLevel, logDestination(values.logFormat), recent);
  let ended: (() => void) | undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  // A signal during the start ends the service right after the start.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const)
    process.on(signal, () => ended?.());

  // Acknowledged state is always on disk: ending is safe, going on is not.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error; the service stops');
    process.exit(1);
  });
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unexpected error'));

  const { folder, notices } = findDataFolder(values.data);
  const { createBench } = await import('../../bench.ts');
  const bench = await createBench({
    dataDir: folder,
    notices,
    logger,
    recent,
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(port === undefined ? {} : { port }),
    ...(operatorToken ? { operatorToken } : {}),
  });
  process.stdout.write(`wishbench listening on ${bench.url}\n`);
  logger.info({ folder }, 'the data directory');
  if (bench.lanUrls.length > 0)
    logger.info(
      { addresses: bench.lanUrls, fingerprint: bench.fingerprint ?? undefined },
      'reachable on the LAN',
    );
  for (const notice of [...notices, ...bench.settings.notices]) logger.warn(notice);
  await end;
  logger.info('ending');
  const late = setTimeout(() => {
    logger.error('the service did not stop in time and is killed');
    process.exit(0);
  }, CLOSE_DEADLINE_MS);
  await bench.close();
  clearTimeout(late);
  return 0;
}

import { LOG_FORMAT_HELP, LOG_FORMATS, LOG_LEVELS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';

/** Builds on other machines. */
export function declareFarm(line: CommandLine): void {
  line
    .asking(
      'builds',
      'who builds, what is built, and what waits for it',
      'wishbench builds',
      async () => (await import('../commands/builds.ts')).builds,
    )
    .option('--limit <N>', 'most builds of the line', '20');
  line
    .command(
      'worker',
      'build what benches put into a queue, until SIGINT or SIGTERM',
      'wishbench worker --queue redis://queue.lab:6379 --concurrency 4',
      async () => (await import('../commands/worker.ts')).worker,
    )
    .option(
      '--queue <URL>',
      'redis://[user:password@]host[:port][/database], rediss:// for TLS; or $WISHBENCH_QUEUE',
    )
    .option('--concurrency <N>', 'builds at once: what cores and memory allow unless you say otherwise')
    .option(
      '--name <NAME>',
      'what it is called: the name of the host unless you say otherwise, with a number where another worker has that',
    )
    .option(
      '--data <DIR>',
      'where it keeps what it has built: ~/.cache/wishbench-worker unless you say otherwise',
    )
    .option('--lease <SECONDS>', 'silence after which its builds are given to others', '10')
    .option('--shared <MiB>', 'size of the results that all benches share', '1024')
    .addOption(choice('--log-level <LEVEL>', 'how much the log says', LOG_LEVELS, 'info'))
    .addOption(choice('--log-format <FORMAT>', LOG_FORMAT_HELP, LOG_FORMATS))
    .addHelpText(
      'after',
      '\nThe first signal lets it end what it is at; the second gives that back to the queue.\n',
    );
}

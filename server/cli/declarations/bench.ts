import { EVENT_TYPES, LOG_FORMAT_HELP, LOG_FORMATS, LOG_LEVELS, SHELLS } from '../choices.ts';
import { type CommandLine, choice } from '../command-line.ts';

/** The service itself, what its operator does, and this command. */
export function declareBench(line: CommandLine): void {
  const { program } = line;
  program.commandsGroup('The bench:');
  line
    .asking(
      'events',
      'print every change as it happens',
      'wishbench events --type job,node --json | jq .job.status',
      async () => (await import('../commands/watch.ts')).events,
    )
    .option('--type <TYPE,…>', `only these: ${EVENT_TYPES.join(', ')}`);
  line
    .command(
      'serve',
      'run the bench until SIGINT or SIGTERM',
      'wishbench serve --port 8000 --data ~/bench',
      async () => (await import('../commands/serve.ts')).serve,
    )
    .option('--host <ADDRESS>', 'where to listen: 127.0.0.1 unless the settings say otherwise')
    .option('--port <PORT>', 'port to listen on: 8000 unless the settings say otherwise; 0 picks a free one')
    .option('--data <DIR>', 'the data directory; else $WISHBENCH_DATA, else the desktop application’s')
    .addOption(choice('--log-level <LEVEL>', 'how much the log says', LOG_LEVELS, 'info'))
    .addOption(choice('--log-format <FORMAT>', LOG_FORMAT_HELP, LOG_FORMATS))
    .addHelpText('after', '\n$WISHBENCH_OPERATOR_TOKEN makes a token the operator.\n');
  line.command(
    'demo',
    'run one example through all its stages, check 512 words',
    'wishbench demo',
    async () => (await import('../commands/demo.ts')).demo,
  );
  line.command(
    'prepare',
    'compile the embedded tools for this computer, so that its first build need not',
    'wishbench prepare',
    async () => (await import('../commands/prepare.ts')).prepare,
  );
  line
    .command(
      'doctor',
      'look for what keeps boards and tools from working',
      'wishbench doctor',
      async () => (await import('../commands/doctor.ts')).doctor,
    )
    .option('--data <DIR>', 'the data directory')
    .option('--json', 'print JSON');
  line
    .asking(
      'check-board [NODE]',
      'check the board in a slot step by step; without NODE, the one that is on the USB',
      'wishbench check-board 2 --report check.md',
      async () => (await import('../commands/check-board.ts')).checkBoard,
    )
    .option('--report <FILE>', 'where the report to attach to an issue goes');
  line
    .command(
      'backup <FILE>',
      'write all that the data directory holds into FILE (.tar.gz), also while the service runs',
      'wishbench backup bench.tar.gz',
      async () => (await import('../commands/backup.ts')).backup,
    )
    .option('--data <DIR>', 'the data directory')
    .addHelpText('after', '\nIt holds sources: keep it as you keep those.\n');
  line
    .command(
      'restore <FILE>',
      'put a backup in its place, at once or at the next start of a service that runs',
      'wishbench restore bench.tar.gz',
      async () => (await import('../commands/backup.ts')).restore,
    )
    .option('--data <DIR>', 'the data directory')
    .addHelpText('after', '\nWhat was there before is kept beside it.\n');
  line
    .asking(
      'audit',
      'who did what, newest first; the operator’s',
      'wishbench audit --owner ci --action submit,run\nwishbench audit --verify',
      async () => (await import('../commands/operator.ts')).audit,
    )
    .option('--owner <NAME>', 'only what this owner did')
    .option('--action <ACTION,…>', 'only these actions')
    .option('--node <NODE>', 'only on this node')
    .option('--since <TIME>', 'not before this time, such as 2026-01-31T00:00:00Z')
    .option('--limit <N>', 'most entries', '100')
    .option('--verify', 'follow the chain of the whole trail instead');
  line.asking(
    'support [FILE]',
    'write a zip file to attach to an issue: status, settings without secrets, doctor, logs',
    'wishbench support wishbench-support.zip',
    async () => {
      const { support } = await import('../commands/operator.ts');
      return (file: string | undefined, options: object) => support(file ?? 'wishbench-support.zip', options);
    },
  );
  program.commandsGroup('This command:');
  line
    .command(
      'completion',
      'print what makes a shell complete this command',
      'source <(wishbench completion bash)\nwishbench completion fish > ~/.config/fish/completions/wishbench.fish',
      async () => {
        const { completionScript } = await import('../completion.ts');
        return async (shell: (typeof SHELLS)[number]) => {
          process.stdout.write(completionScript(program, shell));
          return 0;
        };
      },
    )
    .addArgument(program.createArgument('<SHELL>', 'the shell').choices(SHELLS));
}

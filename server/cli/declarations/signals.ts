import { type CommandLine, choice } from '../command-line.ts';

/** The inside of the design that runs. */
export function declareSignals(line: CommandLine): void {
  const { program } = line;
  program.commandsGroup('Signals of the design that runs:');
  const load = () => import('../commands/signals.ts');
  line
    .asking(
      'signals <NODE> [MATCH]',
      'list the signals that can be watched, by their names in the source',
      'wishbench signals 3 count',
      async () => (await load()).listSignals,
    )
    .option('--limit <N>', 'most of them', '1000');
  line
    .asking(
      'values <NODE> <NAME...>',
      'print what signals are now, all of one clock',
      "wishbench values 3 fifo.count 'state[1:0]' --every 0.5",
      async () => (await load()).watchSignals,
    )
    .option('--every <SECONDS>', 'again and again: a line whenever they have changed');
  line
    .asking(
      'capture <NODE> <NAME...>',
      'record signals clock by clock',
      'wishbench capture 3 bus.cyc count --trigger write:0x4 --position 16 --vcd count.vcd',
      async () => (await load()).captureSignals,
    )
    .option(
      '--trigger <WHEN>',
      'now, rising:NAME, falling:NAME, NAME=VALUE[&MASK], access, read:ADDRESS, write:ADDRESS',
      'now',
    )
    .option('--depth <N>', 'samples, up to 65536, or what a capture core holds; 1024 at most when not given')
    .option('--position <N>', 'samples before the trigger', '0')
    .option('--every-clocks <N>', 'board clocks from one sample to the next', '1')
    .option('--timeout <SECONDS>', 'how long the trigger is waited for', '60')
    .addOption(
      choice('--using <WHAT>', 'the inside of a virtual board, or the capture core of the build', [
        'inside',
        'core',
      ]),
    )
    .option('--pause', 'pause the board’s clock with the last sample')
    .option('--vcd <FILE>', 'write it for GTKWave or Surfer; - is standard output')
    .option('--samples <FILE>', 'write it as JSON');
  line.asking(
    'clock <NODE> [ACTION] [CLOCKS]',
    'whether the board’s clock runs; pause, run or step it',
    'wishbench clock 3 pause\nwishbench clock 3 step 100',
    async () => (await load()).boardClock,
  );
}

import type { Command } from 'commander';
import { type CommandLine, choice } from '../command-line.ts';
import type { ServiceOptions } from '../service-client.ts';

const withDesignOptions = (command: Command): Command =>
  command
    .option('--name <NAME>', 'what the file is called when it comes from standard input', 'design.v')
    .option('--top <MODULE>', 'the module to use when several are Wishbone slaves')
    .option('--target <MHZ>', 'clock constraint for place and route')
    .option('--allow-timing-failure', 'program a real board also with a design that is too slow for it')
    .addOption(choice('--priority <CLASS>', 'where the build waits for workers', ['interactive', 'batch']))
    .addOption(choice('--addressing <UNIT>', 'how the design counts addresses', ['byte', 'word']))
    .option('--tie <PORT=0|1>', 'what an extra input is tied to; may be given several times', collect)
    .option(
      '--pin <PORT=VALUE>',
      'what a pin is at first, or PORT=PIN,PIN of the board; may be given several times',
      collect,
    );

const collect = (word: string, before: string[] = []): string[] => [...before, word];

/** Nodes, and designs on their way to them. */
export function declareDesigns(line: CommandLine): void {
  line.program.commandsGroup('Nodes:');
  line
    .asking(
      'nodes',
      'list the ten nodes, or with --all those of every bench that it knows',
      'wishbench nodes\nwishbench nodes --all',
      async () => async (options: ServiceOptions & { all?: boolean }) =>
        options.all
          ? (await import('../commands/benches.ts')).allNodes(options)
          : (await import('../commands/nodes.ts')).nodes(options),
    )
    .option('--all', 'of all benches, not of this one alone');
  withDesignOptions(
    line
      .asking(
        'submit [NODE] [FILE...]',
        'build a source file or a project and program the node; --any takes an idle one',
        'wishbench submit 3 echo.v --wait\nwishbench submit --any echo.v\nwishbench submit 3 my-project/ --follow\nwishbench submit 3 echo.v --replace --wait\ncat echo.v | wishbench submit 3 - --name echo.v --follow',
        async () => (await import('../commands/designs.ts')).submit,
      )
      .usage('(NODE | --any) FILE... [options]')
      .option(
        '--any',
        'take the idle node that was not used for the longest time, and wait for one if need be',
      )
      .option('--replace', 'on a node that is yours: its design runs on until the new one is built')
      .option('--when-idle', 'wait in line for that node while it is not idle')
      .option(
        '--probe <NAME>',
        'a signal for the capture core of the build; may be given several times',
        collect,
      )
      .option('--wait', 'wait until the node is programmed; exit 1 when that fails')
      .option('--follow', 'the same, with the log on standard error'),
  );
  withDesignOptions(
    line.asking(
      'scan <FILE...>',
      'find the Wishbone slave of a design without building it',
      'wishbench scan echo.v',
      async () => (await import('../commands/designs.ts')).scan,
    ),
  );
  line.asking(
    'watch <NODE>',
    'print what everybody does with the node, as it happens',
    'wishbench watch 3',
    async () => (await import('../commands/viewer.ts')).watchNode,
  );
  const control = () => import('../commands/control.ts');
  line
    .asking(
      'ask <NODE> [NOTE]',
      'ask who holds the node for control of it',
      "wishbench ask 3 'five minutes for the demo'",
      async () => (await control()).ask,
    )
    .option('--take-back', 'take the question back');
  line.asking(
    'handover <NODE> <OWNER>',
    'give the session to somebody else, as it is',
    'wishbench handover 3 grace',
    async () => (await control()).handOver,
  );
  line
    .asking(
      'happenings <NODE>',
      'whose sessions began and ended, and by whom',
      'wishbench happenings 3',
      async () => (await control()).happenings,
    )
    .option('--limit <N>', 'most of them', '20');
  line.asking(
    'session <NODE>',
    'who holds the node, and until when',
    'wishbench session 3 --json',
    async () => (await import('../commands/nodes.ts')).session,
  );
  line.asking(
    'release <NODE>',
    'end the session and wait until the node is idle',
    'wishbench release 3',
    async () => {
      const { giveBack } = await import('../commands/nodes.ts');
      return (node: string, options: object) => giveBack('releaseSession', node, options);
    },
  );
  line.asking('reset <NODE>', 'reflash the node and wait until it is idle', 'wishbench reset 3', async () => {
    const { giveBack } = await import('../commands/nodes.ts');
    return (node: string, options: object) => giveBack('resetNode', node, options);
  });
}

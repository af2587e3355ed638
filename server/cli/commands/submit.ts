import type { Command } from 'commander';
import { placed } from '../../contract/client/work.ts';
import { otherAddressing } from '../../contract/designs/addressing.ts';
import type { SubmitOptions } from '../../contract/jobs/jobs.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { print, printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { designFiles } from '../shared/design-files.ts';
import { pinWishes } from '../shared/pin-settings.ts';
import { waitForRemoteJob } from '../shared/remote-jobs.ts';
import { interruptible, untilEnded } from '../shared/wait.ts';
import { table } from '../table.ts';
import { EXIT, nodeOf, UsageError } from '../usage.ts';

/** The commands `submit` and `scan`. */
export function declareSubmit(line: CommandLine): void {
  withDesignOptions(
    line
      .asking(
        'submit [NODE] [FILE...]',
        'build a file or project and program a node',
        'wishbench submit 3 echo.v --wait\nwishbench submit --any echo.v\nwishbench submit 3 my-project/ --follow\nwishbench submit 3 echo.v --replace --wait\ncat echo.v | wishbench submit 3 - --name echo.v --follow',
        submit,
      )
      .usage('(NODE | --any) FILE... [options]')
      .option('--any', 'take the longest idle node, or wait for one')
      .option('--replace', 'on your own node: its design runs until the new one is built')
      .option('--when-idle', 'wait in the queue of that node until it is idle')
      .option('--probe <NAME>', 'a signal for the capture core of the build; repeatable', collect)
      .option('--wait', 'wait until the node is programmed; exit 1 on failure')
      .option('--follow', 'wait, with the log on standard error'),
  );
  withDesignOptions(
    line.asking('scan <FILE...>', 'find the Wishbone slave without a build', 'wishbench scan echo.v', scan),
  );
}

const withDesignOptions = (command: Command): Command =>
  command
    .option('--name <NAME>', 'name of a file from standard input', 'design.v')
    .option('--top <MODULE>', 'the module to use if several are Wishbone slaves')
    .option('--target <MHZ>', 'timing target for place and route')
    .option('--allow-timing-failure', 'program a real board even if the design misses its clock')
    .addOption(choice('--priority <CLASS>', 'priority class in the build queue', ['interactive', 'batch']))
    .addOption(choice('--addressing <UNIT>', 'addressing of the design', ['byte', 'word']))
    .option('--tie <PORT=0|1>', 'value of an extra input; repeatable', collect)
    .option(
      '--pin <PORT=VALUE>',
      'initial value of a pin, or PORT=PIN,PIN of the board; repeatable',
      collect,
    );

const collect = (word: string, before: string[] = []): string[] => [...before, word];

/** Options of a design in `submit` and `scan`. */
interface DesignOptions extends ServiceOptions {
  name: string;
  top?: string;
  target?: string;
  allowTimingFailure?: boolean;
  addressing?: 'byte' | 'word';
  priority?: 'interactive' | 'batch';
  tie?: string[];
  probe?: string[];
  pin?: string[];
}

/** @throws UsageError for a bad value of an option */
function submitOptions({
  top,
  target,
  addressing,
  priority,
  allowTimingFailure,
  tie = [],
  probe = [],
  pin = [],
}: DesignOptions): SubmitOptions {
  const ties = tie.map((word): [string, 0 | 1] => {
    const [, port, value] = /^([^=]+)=([01])$/.exec(word) ?? [];
    if (port === undefined) throw new UsageError(`--tie must be PORT=0 or PORT=1, not “${word}”.`);
    return [port, value === '1' ? 1 : 0];
  });
  const mhz = Number(target);
  if (target !== undefined && (target === '' || !Number.isFinite(mhz)))
    throw new UsageError(`--target must be a number of MHz, not “${target}”.`);
  return {
    ...(top === undefined ? {} : { top }),
    ...(target === undefined ? {} : { timing_target_mhz: mhz }),
    ...(allowTimingFailure ? { allow_timing_failure: true } : {}),
    ...(addressing === undefined ? {} : { addressing }),
    ...(priority === undefined ? {} : { priority }),
    ...(ties.length === 0 ? {} : { ties: Object.fromEntries(ties) }),
    ...(probe.length === 0 ? {} : { probes: probe.join(',') }),
    ...(pin.length === 0 ? {} : { pins: pinWishes(pin) }),
  };
}

interface SubmitCommandOptions extends DesignOptions {
  any?: boolean;
  replace?: boolean;
  whenIdle?: boolean;
  wait?: boolean;
  follow?: boolean;
}

/** The node, null for any, and the files. @throws UsageError */
function nodeAndFiles(
  words: string[],
  { any = false, replace = false, whenIdle = false }: SubmitCommandOptions,
): { fpga_id: number | null; paths: string[] } {
  if ([any, replace, whenIdle].filter(Boolean).length > 1)
    throw new UsageError('Give only one of --any, --replace and --when-idle.');
  const [node, ...behind] = words;
  if (!any && node === undefined) throw new UsageError('NODE is missing; --help has the usage.');
  const paths = any ? words : behind;
  if (paths.length === 0) throw new UsageError('FILE is missing; --help has the usage.');
  if (any && paths.length > 1 && /^\d$/.test(paths[0] ?? ''))
    throw new UsageError('Give NODE or --any, not both.');
  return { fpga_id: any ? null : nodeOf(node ?? ''), paths };
}

/** `submit NODE FILE…`: prints the id of the job and how to wait for it; with --wait or --follow its result. */
async function submit(
  first: string | undefined,
  behind: string[],
  options: SubmitCommandOptions,
): Promise<number> {
  const { fpga_id, paths } = nodeAndFiles(first === undefined ? [] : [first, ...behind], options);
  const form = submitOptions(options);
  return withService(options, async (client) => {
    const { file, note } = await designFiles(paths, options.name);
    if (note !== undefined) printNotice(note);
    const body = { ...form, file };
    const accepted =
      fpga_id === null || options.whenIdle
        ? await client.submitToAnyNode({ body: { ...body, ...(fpga_id === null ? {} : { fpga_id }) } })
        : await client.submitDesign({ fpga_id, body, ...(options.replace ? { replace: true } : {}) });
    const waits = options.wait || options.follow;
    if (!options.json) print(accepted.job_id);
    else if (!waits) printJson(accepted);
    if ('bench' in accepted && accepted.bench) {
      const { name, address } = accepted.bench;
      printNotice(`The bench “${name}” took the job: ${address}.`);
      return waits ? await waitForRemoteJob(client, accepted.job_id, options.json) : EXIT.done;
    }
    if (!waits) {
      if (!options.json)
        printNotice(`The build has not ended: “wishbench job ${accepted.job_id} --wait” waits for it.`);
      return EXIT.done;
    }
    if (options.follow)
      await interruptible(`The job goes on: “wishbench job ${accepted.job_id}” shows it.`, async () => {
        for await (const chunk of client.followLog(await placed(client, accepted)))
          process.stderr.write(chunk);
      });
    const job = await untilEnded(client, accepted, { logShown: options.follow ?? false });
    if (options.json) printJson(job);
    printNotice(`Node ${job.fpga_id} is reserved.${job.summary ? ` ${job.summary}` : ''}`);
    return EXIT.done;
  });
}

/** `scan FILE…`: prints the matcher result without building; 1 if no module fits. */
async function scan(paths: string[], options: DesignOptions): Promise<number> {
  const form = submitOptions(options);
  const { file, note } = await designFiles(paths, options.name);
  if (note !== undefined) printNotice(note);
  const found = await withService(options, async (client) => client.scanDesign({ body: { ...form, file } }));
  const { matched, modules, diagnostics } = found;
  if (options.json) printJson(found);
  else {
    // A single file needs no name in its messages.
    const only = 'name' in file ? file.name : null;
    const placed = ({ file: of, line }: { file?: string; line?: number }) =>
      line === undefined ? '' : of === undefined || of === only ? ` (line ${line})` : ` (${of}:${line})`;
    for (const one of diagnostics) printNotice(`${one.severity} ${one.code}${placed(one)}: ${one.message}`);
    if (matched) {
      print(
        `${matched.module}: ${matched.handshake}, ${matched.dataWidth} data bits, ${matched.addressWidth} address bits, addressed by ${matched.addressing} (${matched.addressingReason})`,
      );
      if (matched.addressingDoubt !== undefined)
        printNotice(
          `warning: check the addressing: ${matched.addressingDoubt}; --addressing ${otherAddressing(matched)} changes it`,
        );
      process.stdout.write(table(Object.entries(matched.roles).map(([role, port]) => [`  ${role}`, port])));
    } else {
      const slaves = diagnostics.flatMap(({ code, module }) =>
        code === 'design_ambiguous' && module ? [module] : [],
      );
      if (slaves.length > 0) printNotice(`Choose one with --top: ${slaves.join(', ')}.`);
      else for (const { name, problem } of modules) if (problem !== null) printNotice(`${name}: ${problem}`);
    }
  }
  return matched ? EXIT.done : EXIT.failed;
}

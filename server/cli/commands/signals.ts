import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../contract/client/client.ts';
import type {
  CaptureFormat,
  CaptureUsing,
  CaptureView,
  SignalValues,
  Trigger,
  TriggerStep,
} from '../../contract/signals/signals.ts';
import { type CommandLine, choice } from '../command-line.ts';
import { print, printJson, printJsonLine, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { writeOutput } from '../shared/files.ts';
import { type ShrinkingColumn, table } from '../table.ts';
import { CommandError, EXIT, LAST_WORD, nodeOf, numberOf, secondsOf, UsageError } from '../usage.ts';

/** The commands for the signals of the running design. */
export function declareSignals(line: CommandLine): void {
  line
    .asking(
      'signals <NODE> [MATCH]',
      'list the signals of the running design',
      'wishbench signals 3 count',
      listSignals,
    )
    .option('--limit <N>', 'maximum number', '1000');
  line
    .asking(
      'values <NODE> <NAME...>',
      'print the values of signals, all at one clock',
      "wishbench values 3 fifo.count 'state[1:0]' --every 0.5",
      watchSignals,
    )
    .option('--every <SECONDS>', 'poll at this interval: a line after each change');
  line
    .asking(
      'capture <NODE> <NAME...>',
      'record signals clock by clock',
      'wishbench capture 3 bus.cyc count --trigger write:0x4 --position 16 --vcd count.vcd',
      captureSignals,
    )
    .option(
      '--trigger <WHEN>',
      'now, rising:NAME, falling:NAME, change:NAME, NAME=VALUE[&MASK], NAME=MIN..MAX, access, read:ADDRESS, write:ADDRESS; up to four with “then”, each with xCOUNT and “within CLOCKS”',
      'now',
    )
    .option('--depth <N>', 'samples, up to 65536 or the size of the capture core; at most 1024 by default')
    .option('--position <N>', 'samples before the trigger', '0')
    .option('--every-clocks <N>', 'board clocks from one sample to the next', '1')
    .option('--timeout <SECONDS>', 'maximum wait for the trigger', '60')
    .addOption(
      choice('--using <WHAT>', 'the recorder: the virtual board itself, or the capture core of the build', [
        'inside',
        'core',
      ]),
    )
    .option('--pause', 'pause the board’s clock with the last sample')
    .option('--vcd <FILE>', 'write it for GTKWave or Surfer; - is standard output')
    .option('--samples <FILE>', 'write it as JSON');
  line.asking(
    'clock <NODE> [ACTION] [CLOCKS]',
    'show, pause, run or step the board’s clock',
    'wishbench clock 3 pause\nwishbench clock 3 step 100',
    boardClock,
  );
}

/** Maximum wait of one request for the end of a capture, seconds. */
const WAIT_SECONDS = 30;

interface ListOptions extends ServiceOptions {
  limit: string;
}

/** `signals NODE [MATCH]`: lists the signals of the running design. */
async function listSignals(node: string, match: string | undefined, options: ListOptions): Promise<number> {
  const query = {
    limit: numberOf(options.limit, '--limit', 20_000),
    ...(match === undefined ? {} : { match }),
  };
  const list = await withService(options, (client) =>
    client.listSignals({ fpga_id: nodeOf(node), ...query }),
  );
  if (options.json) printJson(list);
  else {
    const rows = list.signals.map(({ name, width, kind, lost, probed, file, line }) => [
      name,
      `${width}`,
      (lost === width ? 'gone' : lost > 0 ? `${kind}, ${lost} bits gone` : kind) + (probed ? ', probed' : ''),
      file === undefined ? '' : `${file}:${line}`,
    ]);
    process.stdout.write(table(rows, SIGNALS_GIVE));
    if (list.total > rows.length) printNotice(`${list.total - rows.length} more: give MATCH or --limit.`);
  }
  return EXIT.done;
}

const SIGNALS_GIVE: readonly ShrinkingColumn[] = [
  { column: 3, least: 12, keep: 'end' },
  { column: 2, least: 6 },
];

interface WatchOptions extends ServiceOptions {
  every?: string;
}

const shown = (value: number | string): string =>
  typeof value === 'number' ? `0x${value.toString(16)}` : value;

function tellValues({ clock, signals }: SignalValues): void {
  print(`${clock}  ${signals.map(({ name, value }) => `${name}=${shown(value)}`).join('  ')}`);
}

/** `values NODE NAME…`: current values; with --every a line after each change. */
async function watchSignals(node: string, names: readonly string[], options: WatchOptions): Promise<number> {
  const fpga_id = nodeOf(node);
  const every = options.every === undefined ? null : secondsOf(options.every, '--every');
  return await withService(options, async (client) => {
    let before = '';
    for (;;) {
      const values = await client.readSignals({ fpga_id, names: [...names] });
      const text = JSON.stringify(values.signals);
      if (text !== before) {
        if (options.json) printJsonLine(values);
        else tellValues(values);
      }
      before = text;
      if (every === null) return EXIT.done;
      await sleep(every * 1000);
    }
  });
}

interface CaptureOptions extends ServiceOptions {
  trigger: string;
  using?: CaptureUsing;
  depth?: string;
  position: string;
  everyClocks: string;
  timeout: string;
  pause?: boolean;
  vcd?: string;
  samples?: string;
}

/** Parses a trigger: `now`, one condition, or conditions with `then` between them. */
function triggerOf(text: string): Trigger {
  if (text === 'now') return { kind: 'now' };
  const steps = text.split(/\s+then\s+/).map(stepOf);
  const [only, ...others] = steps;
  if (only && others.length === 0 && only.count === undefined && only.within === undefined)
    switch (only.kind) {
      case 'value':
      case 'access':
        return only;
      case 'rising':
      case 'falling':
        return { kind: only.kind, signal: only.signal };
    }
  return { kind: 'sequence', steps };
}

/** Parses a condition with `x3` and `within 100` after it. */
function stepOf(text: string): TriggerStep {
  const [, condition = text, count, within] =
    /^(.*?)(?:\s+x(\d+))?(?:\s+within\s+(\d+))?$/s.exec(text.trim()) ?? [];
  return {
    ...conditionOf(condition),
    ...(count === undefined ? {} : { count: numberOf(count, 'the count of a step', 1000) }),
    ...(within === undefined ? {} : { within: numberOf(within, 'the clocks of a step', 1_000_000) }),
  };
}

/** Parses `rising:NAME`, `change:NAME`, `NAME=VALUE[&MASK]`, `NAME=MIN..MAX`, `read:ADDRESS`, `access`. */
function conditionOf(text: string): TriggerStep {
  const [, edge, signal] = /^(rising|falling|change):(.+)$/s.exec(text) ?? [];
  if (signal !== undefined)
    return { kind: edge === 'rising' ? 'rising' : edge === 'falling' ? 'falling' : 'change', signal };
  const [, ranged, min, max] = /^(.+)=([^=.]+)\.\.([^=.]+)$/s.exec(text) ?? [];
  if (ranged !== undefined && min !== undefined && max !== undefined)
    return {
      kind: 'range',
      signal: ranged,
      min: numberOf(min, 'the trigger’s range', LAST_WORD),
      max: numberOf(max, 'the trigger’s range', LAST_WORD),
    };
  const [, access, address] = /^(access|read|write)(?::(.+))?$/.exec(text) ?? [];
  if (access !== undefined)
    return {
      kind: 'access',
      ...(access === 'access' ? {} : { direction: access === 'read' ? 'read' : 'write' }),
      ...(address === undefined ? {} : { address: numberOf(address, 'the trigger’s address', LAST_WORD) }),
    };
  const [, name, value, mask] = /^(.+)=([^=&]+)(?:&([^=&]+))?$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(
      `“${text}” is not a trigger. Give now, rising:NAME, falling:NAME, change:NAME, NAME=MIN..MAX, NAME=VALUE, NAME=VALUE&MASK, access, read:ADDRESS or write:ADDRESS.`,
    );
  return {
    kind: 'value',
    signal: name,
    value: numberOf(value, 'the trigger’s value', LAST_WORD),
    ...(mask === undefined ? {} : { mask: numberOf(mask, 'the trigger’s mask', LAST_WORD) }),
  };
}

async function ended(client: Client, fpga_id: number, capture: CaptureView): Promise<CaptureView> {
  let now = capture;
  while (now.state === 'running')
    now = await client.getCapture({ fpga_id, capture_id: capture.capture_id, wait: WAIT_SECONDS });
  return now;
}

/** `capture NODE NAME…`: records signals and writes the samples. */
async function captureSignals(
  node: string,
  names: readonly string[],
  options: CaptureOptions,
): Promise<number> {
  const fpga_id = nodeOf(node);
  const body = {
    signals: [...names],
    trigger: triggerOf(options.trigger),
    ...(options.using === undefined ? {} : { using: options.using }),
    ...(options.depth === undefined ? {} : { depth: numberOf(options.depth, '--depth', 65_536) }),
    position: numberOf(options.position, '--position', 65_535),
    every: numberOf(options.everyClocks, '--every-clocks', 1_000_000),
    deadline_seconds: secondsOf(options.timeout, '--timeout'),
    pause: options.pause ?? false,
  };
  return await withService(options, async (client) => {
    const capture = await ended(client, fpga_id, await client.startCapture({ fpga_id, body }));
    const { capture_id, failure, samples, trigger_sample: trigger } = capture;
    if (samples === 0) throw new CommandError(failure?.message ?? `The capture was ${capture.state}.`);
    const write = async (format: CaptureFormat, file: string) =>
      await writeOutput(file, await client.exportCapture({ fpga_id, capture_id, format }));
    if (options.vcd !== undefined) await write('vcd', options.vcd);
    if (options.samples !== undefined) await write('json', options.samples);
    if (options.json) printJson(capture);
    else printNotice(`${samples} samples${trigger === null ? '' : `, trigger in sample ${trigger}`}.`);
    if (failure) printNotice(failure.message);
    return failure ? EXIT.failed : EXIT.done;
  });
}

/** `clock NODE [ACTION] [CLOCKS]`: prints the state of the board's clock; pauses, steps or runs it. */
async function boardClock(
  node: string,
  action: 'pause' | 'run' | 'step' | undefined,
  clocks: string | undefined,
  options: ServiceOptions,
): Promise<number> {
  const fpga_id = nodeOf(node);
  const steps = clocks === undefined ? {} : { clocks: numberOf(clocks, 'CLOCKS', 1_000_000) };
  const now = await withService(options, (client) =>
    action === undefined
      ? client.getBoardClock({ fpga_id })
      : client.setBoardClock({ fpga_id, body: { action, ...steps } }),
  );
  if (options.json) printJson(now);
  else print(`${now.paused ? 'paused' : 'running'} at clock ${now.clock}`);
  return EXIT.done;
}

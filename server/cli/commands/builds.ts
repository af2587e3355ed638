import type { BuildsView } from '../../contract/bench/builds.ts';
import { toolsOf } from '../../contract/bench/worker-tools.ts';
import { plural } from '../../text.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { type ShrinkingColumn, table } from '../table.ts';
import { EXIT, numberOf } from '../usage.ts';

/** The command `builds`: builds of the bench and of its workers. */
export function declareBuilds(line: CommandLine): void {
  line
    .asking('builds', 'show builders, builds and the queue', 'wishbench builds', builds)
    .option('--limit <N>', 'maximum number of waiting builds', '20');
}

/** `builds`: workers, running builds and the queue. */
async function builds(options: ServiceOptions & { limit: string }): Promise<number> {
  const limit = numberOf(options.limit, '--limit', 5000);
  const view = await withService(options, (client) => client.listBuilds({ limit }));
  if (options.json) printJson(view);
  else process.stdout.write(describe(view));
  return EXIT.done;
}

const age = (seconds: number) =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

const WORKERS_GIVE: readonly ShrinkingColumn[] = [
  { column: 3, least: 12 },
  { column: 2, least: 10 },
  { column: 0, least: 12 },
];
const TOOLS_GIVE: readonly ShrinkingColumn[] = [
  { column: 1, least: 20 },
  { column: 0, least: 12 },
];
const BUILDING_GIVES: readonly ShrinkingColumn[] = [
  { column: 2, least: 8 },
  { column: 1, least: 8 },
  { column: 0, least: 10, keep: 'end' },
];
const LINE_GIVES: readonly ShrinkingColumn[] = [
  { column: 3, least: 10 },
  { column: 2, least: 8 },
  { column: 1, least: 10, keep: 'end' },
];
const OWNERS_GIVE: readonly ShrinkingColumn[] = [{ column: 0, least: 12 }];

/** Maximum names in a line of workers with the same tools. */
const MAX_NAMES = 4;

function describe(view: BuildsView): string {
  const { queue, problem, workers, building, waiting, line, owners, rates, kept } = view;
  const busy = workers.reduce((sum, worker) => sum + worker.busy, 0);
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const parts = [
    `${queue === null ? 'built here' : queue}: ${plural(workers.length, 'worker')}, ${busy} of ${plural(slots, 'slot')} busy, ${plural(waiting, 'build waits', 'builds wait')}\n`,
  ];
  if (problem !== null)
    parts.push(
      `warning: the queue ${problem}; these figures may be out of date; “wishbench doctor” on the bench finds the cause\n`,
    );
  const section = (title: string, rows: string[][], giving: readonly ShrinkingColumn[]) => {
    if (rows.length > 0) parts.push(`\n${title}\n`, table(rows, giving));
  };
  section(
    'Workers',
    workers.map(({ name, busy: at, slots: of, leaving, built, failed, builds: can }) => [
      name,
      `${at}/${of}`,
      leaving ? 'leaving' : `${built} built, ${failed} failed`,
      [...new Set(can.map((one) => `${one.family} ${one.language}`))].join(', '),
    ]),
    WORKERS_GIVE,
  );
  const byTools = new Map<string, string[]>();
  for (const worker of workers)
    byTools.set(toolsOf(worker), [...(byTools.get(toolsOf(worker)) ?? []), worker.name]);
  section(
    'Tools',
    [...byTools].map(([tools, names]) => [
      names.length > MAX_NAMES ? plural(names.length, 'worker') : names.join(', '),
      tools,
    ]),
    TOOLS_GIVE,
  );
  section(
    'Building',
    building.map(({ file, owner, worker, seconds }) => [file, owner, worker, age(seconds)]),
    BUILDING_GIVES,
  );
  const rows = (of: BuildsView['line']) =>
    of.map(({ place, file, owner, batch, kind, held, seconds }) => [
      String(place),
      file,
      batch ? `${owner}, batch` : owner,
      held === 'no_worker' ? `${kind}: no worker can build it` : kind,
      age(seconds),
    ]);
  section('Waiting', rows(line.filter(({ held }) => held !== 'owner_limit')), LINE_GIVES);
  // These have places of their own: the first starts when one of its owner's builds has ended.
  section('At the owner’s limit', rows(line.filter(({ held }) => held === 'owner_limit')), LINE_GIVES);
  section(
    'By owner',
    owners.map((one) => [one.owner, String(one.waiting)]),
    OWNERS_GIVE,
  );
  if (rates !== null && kept !== null) {
    const mean = rates.mean_seconds === null ? '' : `, ${rates.mean_seconds.toFixed(1)} s each`;
    parts.push(
      `\n${rates.built_per_minute.toFixed(1)} builds per minute, ${rates.failed_per_minute.toFixed(1)} failed${mean}; ${plural(kept.builds, 'result')} stored, ${(kept.bytes / 2 ** 20).toFixed(1)} MiB\n`,
    );
  }
  return parts.join('');
}

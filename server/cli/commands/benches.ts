import type { BenchView } from '../../contract/remote/benches.ts';
import { sentences } from '../../contract/sentences.ts';
import { readBenchFile } from '../bench-file.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { EXIT } from '../usage.ts';

/** The command `benches`: benches by name. */
export function declareBenches(line: CommandLine): void {
  line
    .asking(
      'benches',
      'list your named benches, or with --all those the bench knows',
      'wishbench benches\nwishbench benches --all --json | jq .[].idle',
      benches,
    )
    .option('--all', 'the bench itself and all that it knows: state, idle nodes, version, address');
}

const row = ({ name, title, state, idle, nodes, version, address, last_seen }: BenchView): string[] => [
  name,
  state,
  nodes === null ? '-' : `${idle ?? 0}/${nodes.length} idle`,
  version ?? '-',
  address,
  title === name ? '' : title,
  state === 'dead' ? `last seen ${last_seen ?? 'never'}` : '',
];

const BENCHES_GIVE: readonly ShrinkingColumn[] = [
  { column: 5, least: 8 },
  // “last seen ” and a time.
  { column: 6, least: 10 + MIN_TIME_LENGTH },
  { column: 3, least: 5 },
  // A part of an address is useless.
  { column: 4, least: WHOLE },
];

/** `benches --all`: the called bench and every other one that it knows, one per line. */
async function knownBenches(options: ServiceOptions): Promise<number> {
  const list = await withService(options, (client) => client.listBenches());
  if (options.json) printJson(list);
  else {
    process.stdout.write(table(list.map(row), BENCHES_GIVE));
    for (const { problem } of list)
      if (problem !== null) printNotice(sentences(problem.message, problem.remedy));
  }
  return EXIT.done;
}

/** `benches`: the benches with a name on this computer, without their keys. */
async function benches(options: ServiceOptions & { all?: boolean }): Promise<number> {
  if (options.all) return knownBenches(options);
  const file = await readBenchFile();
  const list = Object.entries(file.benches).map(([name, { url, key, bench_key, fingerprint, ca }]) => ({
    name,
    url,
    default: name === file.default,
    key: key !== undefined,
    bench_key: bench_key !== undefined,
    trust: fingerprint !== undefined ? 'fingerprint' : ca !== undefined ? 'ca' : 'system',
  }));
  if (options.json) printJson(list);
  else if (list.length === 0)
    printNotice('No bench has a name on this computer. “wishbench login URL --bench NAME” gives it one.');
  else
    process.stdout.write(
      table(
        list.map((bench) => [
          `${bench.default ? '*' : ' '} ${bench.name}`,
          bench.url,
          bench.key || bench.bench_key ? 'with a key' : '',
        ]),
        [
          { column: 2, least: 5 },
          { column: 1, least: WHOLE },
        ],
      ),
    );
  return EXIT.done;
}

import type { DesignDetails, DesignSummary } from '../../contract/designs/designs.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { writeOutput } from '../shared/files.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table, WHOLE } from '../table.ts';
import { EXIT, numberOf } from '../usage.ts';

/** The command `designs`: designs with their versions. */
export function declareDesigns(line: CommandLine): void {
  const list = line
    .asking(
      'designs',
      'list your designs, newest first',
      'wishbench designs --all\nwishbench designs show echo-v-1a2b3c4d',
      designs,
    )
    .option('--owner <NAME>', 'only designs of this owner')
    .option('--all', 'designs of all owners')
    .option('--limit <N>', 'maximum number', '100');
  line.asking(
    'show <DESIGN>',
    'list the versions of a design, newest first',
    'wishbench designs show echo-v-1a2b3c4d',
    showDesign,
    list,
  );
  line
    .asking(
      'source <DESIGN> [JOB]',
      'save the source of a version, by default the newest',
      'wishbench designs source echo-v-1a2b3c4d -o echo.v',
      designSource,
      list,
    )
    .option('-o, --output <FILE>', 'output file', '-');
}

interface ListOptions extends ServiceOptions {
  owner?: string;
  all?: boolean;
  limit: string;
}

const summaryRow = ({ design_id, owner, name, versions, updated_at, documents }: DesignSummary): string[] => [
  design_id,
  name,
  owner,
  versions === 1 ? '1 version' : `${versions} versions`,
  updated_at,
  documents.join(' '),
];

const DESIGNS_GIVE: readonly ShrinkingColumn[] = [
  { column: 5, least: 8 },
  { column: 4, least: MIN_TIME_LENGTH },
  { column: 3, least: WHOLE },
  { column: 2, least: 8 },
  { column: 1, least: 12 },
];

/** `designs`: the built designs, latest first. */
async function designs(options: ListOptions): Promise<number> {
  const owner = options.all ? '*' : options.owner;
  const query = {
    limit: numberOf(options.limit, '--limit', 1000),
    ...(owner === undefined ? {} : { owner }),
  };
  const list = await withService(options, (client) => client.listDesigns(query));
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(summaryRow), DESIGNS_GIVE));
  return EXIT.done;
}

const versionRow = (version: DesignDetails['versions'][number]): string[] => [
  version.job_id,
  version.at,
  version.ok ? 'built' : (version.error ?? 'failed'),
  version.fmax === null ? '' : `${version.fmax.toFixed(1)} MHz`,
  version.luts === null ? '' : `${version.luts} LUTs`,
  `${version.seconds.toFixed(1)} s`,
  version.script === null ? '' : `script: ${version.script.passed} passed, ${version.script.failed} failed`,
];

const VERSIONS_GIVE: readonly ShrinkingColumn[] = [
  { column: 5, least: WHOLE },
  { column: 6, least: 16 },
  { column: 1, least: MIN_TIME_LENGTH },
  { column: 4, least: WHOLE },
  { column: 3, least: WHOLE },
  { column: 2, least: 10 },
];

/** `designs show DESIGN`: its versions, newest first. */
async function showDesign(design_id: string, options: ServiceOptions): Promise<number> {
  const design = await withService(options, (client) => client.getDesign({ design_id }));
  if (options.json) printJson(design);
  else process.stdout.write(table(design.versions.map(versionRow), VERSIONS_GIVE));
  return EXIT.done;
}

/** `designs source DESIGN [JOB]`: the source of a version, by default the newest. */
async function designSource(
  design_id: string,
  job: string | undefined,
  options: ServiceOptions & { output: string },
): Promise<number> {
  await withService(options, async (client) => {
    const job_id = job ?? (await client.getDesign({ design_id })).versions[0]?.job_id ?? '';
    await writeOutput(options.output, await client.getDesignSource({ design_id, job_id }), options.json);
  });
  return EXIT.done;
}

import type { Client } from '../../contract/client/client.ts';
import { type ComparedFigure, compareReports, DIGITS } from '../../contract/client/compare-reports.ts';
import type { BuildReport } from '../../contract/designs/uploads.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { whichBuild } from '../shared/which-job.ts';
import { table } from '../table.ts';
import { CommandError, EXIT } from '../usage.ts';

/** The command `report`: the report of a build. */
export function declareReport(line: CommandLine): void {
  line
    .asking(
      'report <WHICH>',
      'show the utilisation and timing of a build',
      'wishbench report 3 --against before',
      report,
    )
    .option('--against <WHICH>', 'compare with another build: a job, a node, or “before”');
}

const megahertz = (fmax: number | null): string =>
  fmax === null ? 'no path between registers' : `${fmax.toFixed(1)} MHz`;

/** The utilisation of a resource, and the design's part of it. */
const share = ({ used, available, design }: BuildReport['utilisation'][number]): string =>
  `${used} of ${available}${design === undefined ? '' : `, design ${design}, bench ${used - design}`}`;

function reportLines({ board, engine, cached, timing, utilisation, seconds }: BuildReport): string[][] {
  return [
    ['board', board],
    ['engine', cached ? `${engine}, from the cache` : engine],
    ['Fmax', `${megahertz(timing.fmax_mhz)}, ${timing.met ? 'meets' : 'misses'} ${timing.target_mhz} MHz`],
    ...(timing.design ? [['design only', megahertz(timing.design.fmax_mhz)]] : []),
    ...utilisation.map((row) => [row.resource, share(row)]),
    ...Object.entries(seconds).map(([stage, time]) => [stage, `${time.toFixed(2)} s`]),
  ];
}

const TIMING_NAMES: Readonly<Record<string, string>> = { fmax: 'Fmax', design: 'Fmax, design only' };

function nameOf({ group, name }: ComparedFigure): string {
  if (group === 'timing') return TIMING_NAMES[name] ?? name;
  return group === 'design' ? `${name}, design` : name;
}

function comparedLine(figure: ComparedFigure): string[] {
  const { unit, before, now, difference } = figure;
  const shown = (value: number | null) =>
    value === null ? '-' : `${value.toFixed(DIGITS[unit])}${unit && ` ${unit}`}`;
  const change = difference === null ? '' : `${difference > 0 ? '+' : ''}${difference.toFixed(DIGITS[unit])}`;
  return [nameOf(figure), shown(before), shown(now), change];
}

/** The build to compare with: a job, the newest of a node, or `before` for the previous one of the same design. */
async function against(client: Client, build: { fpga_id: number; job_id: string }, word: string) {
  if (word !== 'before') return await whichBuild(client, word);
  const { design_id } = await client.getJobDetails(build);
  const { versions } = design_id === undefined ? { versions: [] } : await client.getDesign({ design_id });
  const { before } = versions.find(({ job_id }) => job_id === build.job_id) ?? {};
  const other = versions.find(({ job_id }) => job_id === before?.job_id);
  if (!other) throw new CommandError('The bench has no earlier build of this design.');
  return { fpga_id: other.fpga_id, job_id: other.job_id };
}

interface ReportOptions extends ServiceOptions {
  against?: string;
}

/** `report JOB|NODE`: utilisation, timing and seconds of a build; with --against also of another one. */
async function report(word: string, options: ReportOptions): Promise<number> {
  return await withService(options, async (client) => {
    const build = await whichBuild(client, word);
    const found = await client.getBuildReport(build);
    if (options.against === undefined) {
      if (options.json) printJson(found);
      else process.stdout.write(table(reportLines(found)));
      return EXIT.done;
    }
    const other = await against(client, build, options.against);
    const before = await client.getBuildReport(other);
    const figures = compareReports(found, before);
    if (options.json) printJson({ before: other, now: build, figures });
    else {
      print(`before  ${other.job_id}  node ${other.fpga_id}\nnow     ${build.job_id}  node ${build.fpga_id}`);
      process.stdout.write(table(figures.map(comparedLine)));
    }
    return EXIT.done;
  });
}

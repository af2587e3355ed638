import type { Client } from '../../contract/client/client.ts';
import { placed } from '../../contract/client/work.ts';
import type { AnyJob, Job, JobStatus, JobType } from '../../contract/jobs/jobs.ts';
import { sentences } from '../../contract/sentences.ts';
import { JOB_STATUS_NAMES, JOB_TYPE_NAMES } from '../choices.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { writeOutput } from '../shared/files.ts';
import { describeRemoteJob } from '../shared/remote-jobs.ts';
import { untilEnded } from '../shared/wait.ts';
import { whichBuild, whichJob } from '../shared/which-job.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table } from '../table.ts';
import { EXIT, nodeOf, numberOf, UsageError } from '../usage.ts';

/** The commands for jobs, their logs and bitstreams. */
export function declareJobs(line: CommandLine): void {
  line
    .asking(
      'jobs [NODE]',
      'list jobs, newest first, by default yours',
      'wishbench jobs --all --status queued,running\nwishbench jobs 3',
      jobs,
    )
    .option('--status <STATUS,…>', `only these: ${JOB_STATUS_NAMES.join(', ')}`)
    .option('--type <TYPE,…>', `only these: ${JOB_TYPE_NAMES.join(', ')}`)
    .option('--owner <NAME>', 'only jobs of this owner')
    .option('--all', 'jobs of all owners')
    .option('--limit <N>', 'maximum number', '100');
  line
    .asking('job <WHICH>', 'show a job', 'wishbench job 3 --wait', job)
    .option('--wait', 'wait for its end; exit 1 unless it completes');
  line.asking(
    'cancel <WHICH>',
    'cancel a queued job',
    'wishbench cancel 0e8b8f4c-7d8e-4a53-9a43-4f6a4d2f5c11',
    cancel,
  );
  line.asking('stop <WHICH>', 'stop a running build', 'wishbench stop 3', stop);
  line
    .asking('logs <WHICH>', 'print the log of a job', 'wishbench logs 3 -f', logs)
    .option('-f, --follow', 'follow the log until the job ends');
  line.asking(
    'bitstream <WHICH> [FILE]',
    'save the bitstream of a build',
    'wishbench bitstream 3 echo.bin',
    bitstream,
  );
}

type ListedJob = Awaited<ReturnType<Client['listJobs']>>[number];
type FoundJob = Awaited<ReturnType<Client['findJob']>>;

const isStatus = (word: string): word is JobStatus => JOB_STATUS_NAMES.some((name) => name === word);
const isType = (word: string): word is JobType => JOB_TYPE_NAMES.some((name) => name === word);

interface ListOptions extends ServiceOptions {
  status?: string;
  type?: string;
  owner?: string;
  all?: boolean;
  limit: string;
}

/** The node, after the bench if that is another one. */
const placeOf = ({ fpga_id, bench }: ListedJob): string =>
  bench ? `${bench.name}/${bench.fpga_id ?? '-'}` : String(fpga_id ?? '-');

const row = (job: ListedJob): string[] => [
  job.job_id,
  placeOf(job),
  job.type,
  job.status,
  job.owner,
  job.created_at,
  job.summary ??
    job.failure?.error ??
    (job.bench?.problem ? `unreachable: ${job.bench.problem.error}` : (job.stage ?? '')),
];

/** The creation time shrinks first, because the jobs are sorted by it; ids and states never shrink. */
const GIVING: readonly ShrinkingColumn[] = [
  { column: 5, least: MIN_TIME_LENGTH },
  { column: 2, least: 6 },
  { column: 6, least: 10 },
  { column: 4, least: 8 },
];

/** `jobs [NODE]`: the jobs of all nodes or of one, newest first. */
async function jobs(node: string | undefined, options: ListOptions): Promise<number> {
  const limit = numberOf(options.limit, '--limit', 10_000);
  const status = options.status?.split(',').map((word) => {
    if (isStatus(word)) return word;
    throw new UsageError(`--status must be of ${JOB_STATUS_NAMES.join(', ')}, not “${word}”.`);
  });
  const type = options.type?.split(',').map((word) => {
    if (isType(word)) return word;
    throw new UsageError(`--type must be of ${JOB_TYPE_NAMES.join(', ')}, not “${word}”.`);
  });
  const owner = options.all ? '*' : options.owner;
  const query = { limit, ...(status ? { status } : {}) };
  const further = { ...(type ? { type } : {}), ...(owner === undefined ? {} : { owner }) };
  if (node !== undefined && Object.keys(further).length > 0)
    throw new UsageError('Give NODE, or --type, --owner and --all, not both.');
  const fpga_id = node === undefined ? undefined : nodeOf(node);
  const list = await withService(
    options,
    (client): Promise<AnyJob[]> =>
      fpga_id === undefined
        ? client.listJobs({ ...query, ...further })
        : client.listNodeJobs({ fpga_id, ...query }),
  );
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), GIVING));
  return EXIT.done;
}

/** `job JOB`: the state of a job; with --wait its result. */
async function job(word: string, options: ServiceOptions & { wait?: boolean }): Promise<number> {
  return withService(options, async (client) => {
    const which = await whichJob(client, word);
    const { fpga_id, job_id } = which;
    if (fpga_id === null && !options.wait) {
      const waiting = await client.findJob({ job_id });
      if (options.json) printJson(waiting);
      else {
        if (waiting.bench) {
          print(describeRemoteJob(waiting, waiting.bench));
          return EXIT.done;
        }
        const node = waiting.waiting_for == null ? 'a node' : `node ${waiting.waiting_for}`;
        const place = waiting.place == null ? '' : `, place ${waiting.place}`;
        print(`${waiting.type} ${waiting.status}  waits for ${node}${place}  ${waiting.updated_at}`);
      }
      return EXIT.done;
    }
    const seen =
      options.wait || fpga_id === null
        ? await untilEnded(client, which)
        : await client.getJobDetails({ fpga_id, job_id });
    if (options.json) printJson(seen);
    else {
      const stage = seen.stage ? ` ${seen.stage}` : '';
      print(`${seen.type} ${seen.status}${stage}  node ${seen.fpga_id}  ${seen.owner}  ${seen.updated_at}`);
      if (seen.summary) print(seen.summary);
      if (seen.failure)
        print(`${seen.failure.error}: ${sentences(seen.failure.message, seen.failure.remedy)}`);
    }
    return EXIT.done;
  });
}

/** `cancel JOB`: cancels a queued job. */
async function cancel(word: string, options: ServiceOptions): Promise<number> {
  await withService(options, async (client) =>
    client.cancelAnyJob({ job_id: (await whichJob(client, word)).job_id }),
  );
  return EXIT.done;
}

/** `stop JOB`: stops a running build, and prints the job's result. */
async function stop(word: string, options: ServiceOptions): Promise<number> {
  const stopped = await withService(options, async (client): Promise<Job | FoundJob> => {
    const { fpga_id, job_id } = await whichJob(client, word);
    return fpga_id === null ? await client.stopAnyJob({ job_id }) : await client.stopJob({ fpga_id, job_id });
  });
  if (options.json) printJson(stopped);
  else if ('bench' in stopped && stopped.bench) print(describeRemoteJob(stopped, stopped.bench));
  else {
    const why = 'failure' in stopped ? (stopped.failure?.message ?? '') : '';
    print(`${stopped.type} ${stopped.status}  node ${stopped.fpga_id}  ${why}`);
  }
  return EXIT.done;
}

/** `logs JOB`: the log so far; with --follow until the job ends. */
async function logs(word: string, options: ServiceOptions & { follow?: boolean }): Promise<number> {
  await withService(options, async (client) => {
    const which = await whichJob(client, word);
    if (!options.follow) process.stdout.write(await client.findJobLog({ job_id: which.job_id }));
    else for await (const chunk of client.followLog(await placed(client, which))) process.stdout.write(chunk);
  });
  return EXIT.done;
}

/** `bitstream JOB|NODE [FILE]`: the bitstream of a build. */
async function bitstream(word: string, file: string | undefined, options: ServiceOptions): Promise<number> {
  await withService(options, async (client) => {
    const which = await whichBuild(client, word);
    await writeOutput(file ?? `${which.job_id}.bin`, await client.getBitstream(which), options.json);
  });
  return EXIT.done;
}

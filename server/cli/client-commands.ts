import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Client } from '../contract/client/client.ts';
import type { Job, RunRequest, RunResult, SubmitOptions } from '../contract/jobs.ts';
import { withService } from './service-client.ts';
import { CommandError, numberOf, parse, UsageError, words } from './usage.ts';

const SERVICE = {
  url: { type: 'string' },
  key: { type: 'string' },
  session: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const LAST_WORD = 0xffff_ffff;
/** Lines of a failed job's log that are shown. */
const LOG_TAIL = 25;

const print = (line: string) => process.stdout.write(`${line}\n`);
const tell = (line: string) => process.stderr.write(`${line}\n`);
const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

const nodeOf = (word: string | undefined): number => numberOf(word ?? '', 'NODE', 9);

/** The lines of a job's log. */
async function logLines(
  client: Client,
  { fpga_id, job_id }: Pick<Job, 'fpga_id' | 'job_id'>,
): Promise<string[]> {
  const log = await client.getJobLog({ fpga_id, job_id });
  return new TextDecoder().decode(log).trimEnd().split('\n');
}

/** Tells how a job ended; what it says of a failure goes to standard error. */
async function report(client: Client, job: Job): Promise<number> {
  if (job.status === 'complete') return 0;
  if (job.status === 'failed') {
    for (const line of (await logLines(client, job)).slice(-LOG_TAIL)) tell(line);
    tell(`The job failed: ${job.failure ? `${job.failure.message} ${job.failure.remedy}` : 'see its log.'}`);
  } else tell(`The job was ${job.status}.`);
  return 1;
}

async function nodes(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, SERVICE);
  words(positionals, []);
  const list = await withService(values, (client) => client.listNodes());
  if (values.json) {
    printJson(list);
    return 0;
  }
  for (const { fpga_id, state, session, current_job_id } of list)
    print(
      [
        String(fpga_id),
        state.padEnd(11),
        (session?.owner ?? '-').padEnd(16),
        session?.expires_at ?? current_job_id ?? '',
      ]
        .join('  ')
        .trimEnd(),
    );
  return 0;
}

interface SubmitValues {
  top?: string | undefined;
  target?: string | undefined;
  addressing?: string | undefined;
  tie?: string[] | undefined;
}

/** @throws UsageError for a word that the option does not know. */
function submitOptions({ top, target, addressing, tie = [] }: SubmitValues): SubmitOptions {
  const ties = tie.map((word): [string, 0 | 1] => {
    const [, port, value] = /^([^=]+)=([01])$/.exec(word) ?? [];
    if (port === undefined) throw new UsageError(`--tie must be PORT=0 or PORT=1, not “${word}”.`);
    return [port, value === '1' ? 1 : 0];
  });
  if (addressing !== undefined && addressing !== 'byte' && addressing !== 'word')
    throw new UsageError(`--addressing must be byte or word, not “${addressing}”.`);
  const mhz = Number(target);
  if (target !== undefined && (target === '' || !Number.isFinite(mhz)))
    throw new UsageError(`--target must be a number of MHz, not “${target}”.`);
  return {
    ...(top === undefined ? {} : { top }),
    ...(target === undefined ? {} : { timing_target_mhz: mhz }),
    ...(addressing === undefined ? {} : { addressing }),
    ...(ties.length === 0 ? {} : { ties: Object.fromEntries(ties) }),
  };
}

async function submit(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SERVICE,
    wait: { type: 'boolean', default: false },
    top: { type: 'string' },
    target: { type: 'string' },
    addressing: { type: 'string' },
    tie: { type: 'string', multiple: true },
  });
  const [node, path = ''] = words(positionals, ['NODE', 'FILE']);
  const options = submitOptions(values);
  const fpga_id = nodeOf(node);
  return withService(values, async (client) => {
    const contents = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new CommandError(`The file ${path} cannot be read (${error.code}).`, { cause: error });
    });
    const body = { ...options, file: { name: basename(path), contents } };
    const accepted = await client.submitDesign({ fpga_id, body });
    if (!values.json) print(accepted.job_id);
    else if (!values.wait) printJson(accepted);
    if (!values.wait) return 0;
    const job = await client.jobEnded(accepted);
    if (values.json) printJson(job);
    if (job.status === 'complete') tell(job.summary ?? 'The node is reserved.');
    return report(client, job);
  });
}

const FORMATS: Record<string, (word: number) => string> = {
  hex: (word) => `0x${word.toString(16).padStart(8, '0').toUpperCase()}`,
  dec: String,
  bin: (word) => `0b${word.toString(2).padStart(32, '0')}`,
};

/** Runs one transaction and waits for its answer; null after telling why there is none. */
async function transact(client: Client, fpga_id: number, body: RunRequest): Promise<RunResult | null> {
  const accepted = await client.runTransaction({ fpga_id, body });
  const job = await client.jobEnded(accepted);
  const code = await report(client, job);
  if (code !== 0) return null;
  const result = await client.getRunResult({ fpga_id, job_id: job.job_id });
  if (result.ok) return result;
  tell('The design did not acknowledge:');
  for (const line of (await logLines(client, job)).slice(-3)) tell(line);
  return null;
}

async function read(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SERVICE,
    fixed: { type: 'boolean', default: false },
    format: { type: 'string', default: 'hex' },
  });
  const [node, address = '', count = '1'] = words(positionals, ['NODE', 'ADDRESS', 'COUNT'], 1);
  const format = FORMATS[values.format];
  if (!format) throw new UsageError('--format must be hex, dec or bin.');
  const fpgaId = nodeOf(node);
  const request: RunRequest = {
    op: 2,
    address: numberOf(address, 'ADDRESS', LAST_WORD),
    count: numberOf(count, 'COUNT', LAST_WORD),
    fixed_address: values.fixed,
  };
  const result = await withService(values, (client) => transact(client, fpgaId, request));
  if (!result) return 1;
  if (values.json) printJson(result);
  else process.stdout.write(result.data.map((word) => `${format(word)}\n`).join(''));
  return 0;
}

async function write(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, { ...SERVICE, fixed: { type: 'boolean', default: false } });
  const [node, address = '', ...given] = positionals;
  if (given.length === 0) words(positionals, ['NODE', 'ADDRESS', 'WORD']);
  const texts = given.length === 1 && given[0] === '-' ? (await text(process.stdin)).split(/[\s,]+/) : given;
  const fpgaId = nodeOf(node);
  const request: RunRequest = {
    op: 1,
    address: numberOf(address, 'ADDRESS', LAST_WORD),
    data: texts.filter((word) => word !== '').map((word) => numberOf(word, 'WORD', LAST_WORD)),
    fixed_address: values.fixed,
  };
  const result = await withService(values, (client) => transact(client, fpgaId, request));
  if (!result) return 1;
  if (values.json) printJson(result);
  return 0;
}

/** release and reset: ask for it and wait. */
const ending =
  (operation: 'releaseSession' | 'resetNode') =>
  async (args: string[]): Promise<number> => {
    const { values, positionals } = parse(args, SERVICE);
    const fpga_id = nodeOf(words(positionals, ['NODE'])[0]);
    return withService(values, async (client) => {
      const job = await client.jobEnded(await client[operation]({ fpga_id }));
      if (values.json) printJson(job);
      return report(client, job);
    });
  };

async function job(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, { ...SERVICE, wait: { type: 'boolean', default: false } });
  const [node, job_id = ''] = words(positionals, ['NODE', 'JOB']);
  const which = { fpga_id: nodeOf(node), job_id };
  const seen = await withService(values, (client) =>
    values.wait ? client.jobEnded(which) : client.getJobDetails(which),
  );
  if (values.json) printJson(seen);
  else {
    print(
      `${seen.type} ${seen.status}${seen.stage ? ` ${seen.stage}` : ''}  owner ${seen.owner}  ${seen.updated_at}`,
    );
    if (seen.summary) print(seen.summary);
    if (seen.failure) print(`${seen.failure.error}: ${seen.failure.message} ${seen.failure.remedy}`);
  }
  return values.wait && seen.status !== 'complete' ? 1 : 0;
}

async function logs(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, { ...SERVICE, follow: { type: 'boolean', default: false } });
  const [node, job_id = ''] = words(positionals, ['NODE', 'JOB']);
  const which = { fpga_id: nodeOf(node), job_id };
  await withService(values, async (client) => {
    if (values.follow) for await (const chunk of client.followLog(which)) process.stdout.write(chunk);
    else process.stdout.write(await client.getJobLog(which));
  });
  return 0;
}

/** Commands that talk to a running service: name → what it does; each answers with the exit code. */
export const clientCommands: Record<string, (args: string[]) => Promise<number>> = {
  nodes,
  submit,
  read,
  write,
  release: ending('releaseSession'),
  reset: ending('resetNode'),
  job,
  logs,
};

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type JobView, type NodeSummary, ServiceClient, ServiceRefusal } from './service-client.ts';
import { numberOf, parse, UsageError, words } from './usage.ts';

const SERVICE = {
  url: { type: 'string' },
  key: { type: 'string' },
  session: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const DEFAULT_URL = 'http://127.0.0.1:8000';
const LAST_WORD = 0xffff_ffff;
/** Lines of a failed job's log that are shown. */
const LOG_TAIL = 25;

const print = (line: string) => process.stdout.write(`${line}\n`);
const tell = (line: string) => process.stderr.write(`${line}\n`);
const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

interface ServiceValues {
  url?: string | undefined;
  key?: string | undefined;
  session?: string | undefined;
}

function clientOf({ url, key, session }: ServiceValues): ServiceClient {
  const address = url ?? process.env.WISHBENCH_URL ?? DEFAULT_URL;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new UsageError(`--url must be an address such as ${DEFAULT_URL}, not “${address}”.`);
  return new ServiceClient({
    url: address,
    ...(key === undefined ? {} : { key }),
    ...(session === undefined ? {} : { session }),
  });
}

const nodeOf = (word: string | undefined): number => numberOf(word ?? '', 'NODE', 9);

/** Tells how a job ended; what it says of a failure goes to standard error. */
async function report(client: ServiceClient, job: JobView): Promise<number> {
  if (job.status === 'complete') return 0;
  if (job.status === 'failed') {
    const log = (await client.log(job.fpga_id, job.job_id)).trimEnd().split('\n');
    for (const line of log.slice(-LOG_TAIL)) tell(line);
    tell(`The job failed: ${job.failure ? `${job.failure.message} ${job.failure.remedy}` : 'see its log.'}`);
  } else tell(`The job was ${job.status}.`);
  return 1;
}

async function nodes(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, SERVICE);
  words(positionals, []);
  const list = await clientOf(values).json<NodeSummary[]>('/fpga');
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

async function submit(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, {
    ...SERVICE,
    wait: { type: 'boolean', default: false },
    top: { type: 'string' },
    target: { type: 'string' },
    addressing: { type: 'string' },
    tie: { type: 'string', multiple: true },
  });
  const [node, file = ''] = words(positionals, ['NODE', 'FILE']);
  const ties = (values.tie ?? []).map((tie) => {
    const match = /^([^=]+)=([01])$/.exec(tie);
    if (!match) throw new UsageError(`--tie must be PORT=0 or PORT=1, not “${tie}”.`);
    return [match[1], Number(match[2])];
  });
  const client = clientOf(values);
  const fpgaId = nodeOf(node);
  const source = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ServiceRefusal('file', `The file ${file} cannot be read (${error.code}).`);
  });
  const accepted = await client.submit(fpgaId, path.basename(file), source, {
    ...(values.top === undefined ? {} : { top: values.top }),
    ...(values.target === undefined ? {} : { timing_target_mhz: values.target }),
    ...(values.addressing === undefined ? {} : { addressing: values.addressing }),
    ...(ties.length === 0 ? {} : { ties: JSON.stringify(Object.fromEntries(ties)) }),
  });
  if (!values.json) print(accepted.job_id);
  else if (!values.wait) printJson(accepted);
  if (!values.wait) return 0;
  const job = await client.ended(fpgaId, accepted.job_id);
  if (values.json) printJson(job);
  if (job.status === 'complete') tell(job.summary ?? 'The node is reserved.');
  return report(client, job);
}

const FORMATS: Record<string, (word: number) => string> = {
  hex: (word) => `0x${word.toString(16).padStart(8, '0').toUpperCase()}`,
  dec: String,
  bin: (word) => `0b${word.toString(2).padStart(32, '0')}`,
};

/** Runs one transaction and waits for its answer. */
async function transact(client: ServiceClient, node: number, request: object) {
  const { job_id } = await client.run(node, request);
  const job = await client.ended(node, job_id);
  const code = await report(client, job);
  if (code !== 0) return null;
  const result = await client.result(node, job_id);
  if (result.ok) return result;
  tell('The design did not acknowledge:');
  for (const line of (await client.log(node, job_id)).trimEnd().split('\n').slice(-3)) tell(line);
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
  const result = await transact(clientOf(values), nodeOf(node), {
    op: 2,
    address: numberOf(address, 'ADDRESS', LAST_WORD),
    count: numberOf(count, 'COUNT', LAST_WORD),
    fixed_address: values.fixed,
  });
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
  const result = await transact(clientOf(values), nodeOf(node), {
    op: 1,
    address: numberOf(address, 'ADDRESS', LAST_WORD),
    data: texts.filter((word) => word !== '').map((word) => numberOf(word, 'WORD', LAST_WORD)),
    fixed_address: values.fixed,
  });
  if (!result) return 1;
  if (values.json) printJson(result);
  return 0;
}

/** release and reset: post and wait. */
const ending =
  (route: string) =>
  async (args: string[]): Promise<number> => {
    const { values, positionals } = parse(args, SERVICE);
    const fpgaId = nodeOf(words(positionals, ['NODE'])[0]);
    const client = clientOf(values);
    const { job_id } = await client.post(`/fpga/${fpgaId}/${route}`);
    const job = await client.ended(fpgaId, job_id);
    if (values.json) printJson(job);
    return report(client, job);
  };

async function job(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, { ...SERVICE, wait: { type: 'boolean', default: false } });
  const [node, id = ''] = words(positionals, ['NODE', 'JOB']);
  const client = clientOf(values);
  const view = values.wait ? await client.ended(nodeOf(node), id) : await client.job(nodeOf(node), id);
  if (values.json) printJson(view);
  else {
    print(
      `${view.type} ${view.status}${view.stage ? ` ${view.stage}` : ''}  owner ${view.owner}  ${view.updated_at}`,
    );
    if (view.summary) print(view.summary);
    if (view.failure) print(`${view.failure.error}: ${view.failure.message} ${view.failure.remedy}`);
  }
  return values.wait && view.status !== 'complete' ? 1 : 0;
}

async function logs(args: string[]): Promise<number> {
  const { values, positionals } = parse(args, { ...SERVICE, follow: { type: 'boolean', default: false } });
  const [node, id = ''] = words(positionals, ['NODE', 'JOB']);
  const client = clientOf(values);
  if (values.follow)
    for await (const chunk of client.followLog(nodeOf(node), id)) process.stdout.write(chunk);
  else process.stdout.write(await client.log(nodeOf(node), id));
  return 0;
}

/** Commands that talk to a running service: name → what it does; each answers with the exit code. */
export const clientCommands: Record<string, (args: string[]) => Promise<number>> = {
  nodes,
  submit,
  read,
  write,
  release: ending('session/release'),
  reset: ending('reset'),
  job,
  logs,
};

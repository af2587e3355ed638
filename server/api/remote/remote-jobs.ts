import type { FastifyReply, FastifyRequest } from 'fastify';
import { FORWARDED_BY } from '../../benches/remote-bench.ts';
import type { RemoteJob } from '../../benches/remote-job-record.ts';
import { pause } from '../../clock.ts';
import { type AnyJob, hasEnded } from '../../contract/jobs/jobs.ts';
import type { JobFilter } from '../../jobs/pool.ts';
import type { ApiContext } from '../context.ts';
import type { UploadedDesign } from '../designs/uploads.ts';
import { type Caller, requireStillAdmitted } from '../edge/caller.ts';
import type { Form } from '../edge/form.ts';
import { whileAllowed } from '../edge/streams.ts';
import { handOn } from './forward.ts';

/** Interval of polling a remote job while a caller waits for its change, ms. */
const ASK_AGAIN_MS = 500;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Asked {
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * The origin that another bench states for a forwarded job: its id and its owner, if that bench's key has the
 * operator's right. Null for every other submit.
 */
export function originOfForward(
  { headers }: FastifyRequest,
  caller: Caller,
): { jobId: string; owner: string | undefined } | null {
  const jobId = headers['x-job-id'];
  if (headers[FORWARDED_BY] === undefined || typeof jobId !== 'string' || !UUID.test(jobId)) return null;
  const owner = headers['x-job-owner'];
  if (!caller.key?.operator || typeof owner !== 'string') return { jobId, owner: undefined };
  const name = Buffer.from(owner, 'latin1').toString('utf8').trim();
  return { jobId, owner: /^[^\p{Cc}\p{Cf}]{1,128}$/u.test(name) ? name : undefined };
}

/** Rebuilds the form, to forward it. */
async function formOf(form: Form): Promise<{ body: Buffer; type: string }> {
  const copy = new FormData();
  for (const { name, value } of form.fields) copy.append(name, value);
  for (const { field, path, bytes } of form.files)
    copy.append(field, new File([new Uint8Array(bytes)], path));
  const response = new Response(copy);
  const body = Buffer.from(await response.arrayBuffer());
  return { body, type: response.headers.get('content-type') ?? '' };
}

/**
 * Submits a job to a remote bench when no node here is idle, and the settings and the owner’s share allow it; null where
 * it stays here.
 * @throws share_used_up.
 */
export async function sendToRemoteBench(
  context: ApiContext,
  form: Form,
  { filename, source, options, files }: UploadedDesign,
  { owner }: Caller,
) {
  const { settings, pool, benches, away } = context;
  if (!settings.current.benches.overflow || benches.withRoom().length === 0) return null;
  const waits = pool.unplacedJobs({ limit: 1000 }).some(({ status }) => status === 'queued');
  if (!waits && pool.nodes().some(({ state, board }) => state === 'idle' && board.present)) return null;
  if (!pool.maySendAway(owner, away.openOf(owner))) return null;
  const submit = { filename, size: source.length, options, ...(files === undefined ? {} : { files }) };
  return await away.send({ ...(await formOf(form)), submit, owner });
}

/** GET /jobs/{id} of a remote job, at once or when it changes. */
export async function findRemoteJob(
  context: ApiContext,
  jobId: string,
  wait: number | undefined,
  asked: Asked,
) {
  const { away, clock } = context;
  const first = await away.find(jobId);
  const { caller, reply } = asked;
  if (!wait) return briefly(first);
  // It never gets a node of this bench: slow down a caller who polls for one.
  if (hasEnded(first.status)) await pause(clock, Math.min(ASK_AGAIN_MS, wait * 1000));
  const until = clock.monotonic() + wait * 1000;
  const check = () => requireStillAdmitted(context, caller, 'key');
  return await whileAllowed(context, 'wait', { caller, reply, check }, async (signal) => {
    let now = first;
    while (
      !signal.aborted &&
      clock.monotonic() < until &&
      now.status === first.status &&
      !hasEnded(now.status)
    ) {
      await pause(clock, Math.min(ASK_AGAIN_MS, until - clock.monotonic()));
      now = await away.find(jobId);
    }
    return briefly(now);
  });
}

/** A remote job as GET /jobs/{id} shows it. */
export const briefly = ({ job_id, fpga_id, type, status, created_at, updated_at, bench }: RemoteJob) => ({
  job_id,
  fpga_id,
  type,
  status,
  created_at,
  updated_at,
  bench,
});

/**
 * Jobs of this bench merged with remote jobs, newest first.
 * @param jobs those of this bench, newest first
 */
export async function withRemoteJobs(
  { away }: ApiContext,
  jobs: AnyJob[],
  { statuses, types, owner, limit }: JobFilter,
): Promise<AnyJob[]> {
  if (types && !types.includes('build_and_program')) return jobs;
  const others = (await away.list(owner)).filter(({ status }) => !statuses || statuses.includes(status));
  if (others.length === 0) return jobs;
  const newest = (a: AnyJob, b: AnyJob) => Date.parse(b.created_at) - Date.parse(a.created_at);
  return [...jobs, ...others].sort(newest).slice(0, limit);
}

/** Reads what the other bench has of a remote job, such as its log. */
export async function readRemoteJob(
  context: ApiContext,
  jobId: string,
  { caller, request, reply }: Asked,
): Promise<FastifyReply> {
  const { bench, headers } = context.away.place(jobId);
  return await handOn(context, { bench, path: request.raw.url ?? '', headers, caller, request, reply });
}

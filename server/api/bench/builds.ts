import type { BuildsView } from '../../contract/bench/builds.ts';
import type { Job } from '../../contract/jobs/jobs.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { plural } from '../../text.ts';
import type { FarmEntry, FarmView } from '../../toolchain/farm/farm-view.ts';
import type { ApiContext } from '../context.ts';

/** Rates cover this many whole minutes. */
const MINUTES = 10;

const seconds = (milliseconds: number): number => Math.max(0, Math.round(milliseconds) / 1000);

/** GET /builds: the builds of the farm, or of this bench where it builds itself. */
export async function buildsView(context: ApiContext, most: number): Promise<BuildsView> {
  const { farm } = context.toolchain;
  if (!farm) return ownBuilds(context, most);
  const { view, problem } = await farm.look(most);
  return { queue: farm.address, problem, ...farmBuilds(view) };
}

function farmBuilds(view: FarmView): Omit<BuildsView, 'queue' | 'problem'> {
  const { built, failed, stopped, milliseconds } = view.rates;
  const all = built + failed + stopped;
  const offered = new Set(view.workers.flatMap(({ queues }) => queues));
  const entry = ({ buildId, file, owner, batch }: FarmEntry) => ({ build_id: buildId, file, owner, batch });
  return {
    workers: view.workers.map(({ queues, id: _id, ...worker }) => ({
      ...worker,
      builds: queues.flatMap((queue) => {
        const { flow: _flow, ...what } = view.capabilities.get(queue) ?? {};
        return 'family' in what ? [what] : [];
      }),
    })),
    building: view.building.map((one) => ({
      ...entry(one),
      worker: one.worker,
      seconds: seconds(one.building ?? one.age),
    })),
    waiting: view.waiting,
    owners: Object.entries(view.owners)
      .map(([owner, waiting]) => ({ owner, waiting }))
      .sort((a, b) => b.waiting - a.waiting),
    line: view.line.map((one) => ({
      ...entry(one),
      place: one.place ?? 1,
      kind: one.queue.split('.').slice(0, 3).join(' '),
      held: one.held ? 'owner_limit' : offered.has(one.queue) ? null : 'no_worker',
      seconds: seconds(one.age),
    })),
    rates: {
      built_per_minute: built / MINUTES,
      failed_per_minute: failed / MINUTES,
      mean_seconds: all === 0 ? null : seconds(milliseconds / all),
    },
    kept: view.kept,
  };
}

function ownBuilds({ pool, toolchain, clock, version }: ApiContext, most: number): BuildsView {
  const { busy, total } = toolchain.slots;
  const jobs = pool.jobs({ statuses: ['queued', 'running'], types: ['build_and_program'] }).reverse();
  const since = (time: string) => seconds(clock.now() - Date.parse(time));
  const entry = (job: Job) => ({
    build_id: job.build_id ?? null,
    file: job.submit?.filename ?? '',
    owner: job.owner,
    batch: job.submit?.options.priority === 'batch',
  });
  const waiting = jobs.filter(({ status }) => status === 'queued');
  const owners = new Map<string, number>();
  for (const { owner } of waiting) owners.set(owner, (owners.get(owner) ?? 0) + 1);
  const name = 'this bench';
  return {
    queue: null,
    problem: null,
    workers: [{ name, version, slots: total, busy, leaving: false, built: 0, failed: 0, builds: [] }],
    building: jobs
      .filter(({ status, stage }) => status === 'running' && stage !== 'program' && stage !== 'identify')
      .map((job) => ({ ...entry(job), worker: name, seconds: since(job.started_at ?? job.created_at) })),
    waiting: waiting.length,
    owners: [...owners]
      .map(([owner, count]) => ({ owner, waiting: count }))
      .sort((a, b) => b.waiting - a.waiting),
    line: waiting.slice(0, most).map((job, i) => ({
      ...entry(job),
      place: i + 1,
      kind: 'here',
      held: null,
      seconds: since(job.created_at),
    })),
    rates: null,
    kept: null,
  };
}

/**
 * Refuses a submit while the queue of builds is full, because an accepted job waits for any length of time.
 * @returns the refusal, with the seconds after which to retry; null where there is room
 */
export function queueRefusal(context: ApiContext, owner: string): { after: number; error: Error } | null {
  const full = context.toolchain.farm?.full(owner) ?? null;
  if (full === null) return null;
  const { waiting, whose, after } = full;
  const message =
    whose === 'owner'
      ? `${plural(waiting, 'build of this owner already waits', 'builds of this owner already wait')} in the queue.`
      : whose === 'all'
        ? `${plural(waiting, 'build already waits', 'builds already wait')} in the queue.`
        : 'The queue has no memory left for another build.';
  return { after, error: toolchainError('build_queue_full', { message }) };
}

import { systemClock } from '../../clock.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { BuildPlan } from '../build/build-plan.ts';
import { identify } from '../build/builds-here.ts';
import type { InstalledTools } from '../build/installed-tools.ts';
import type { BuildContext, BuildRequest } from '../build-request.ts';
import type { CachedBuild } from '../cache/build-file.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { capabilityOf, flowDigest, queueOf } from './capabilities.ts';
import type { BuildFarm } from './farm.ts';
import type { Capability } from './messages.ts';
import { persistently, soon } from './persistently.ts';

/** Inputs of planOnFarm. */
export interface FarmPlanning {
  farm: BuildFarm;
  /** Tools of this machine. Workers with the same tools are preferred. */
  tools: InstalledTools;
  request: BuildRequest;
  source: PreparedDesign;
  digest: string;
  context: BuildContext;
  signal: AbortSignal;
  /** Gives back the pass of BuildFarm.enter; repeated calls change nothing. */
  letNextIn(): void;
  /** Waits for the build, or for an early scan that refuses the design. */
  withEarlyScan(
    build: (context: BuildContext, signal: AbortSignal) => Promise<CachedBuild>,
  ): Promise<CachedBuild>;
  keep(id: string, build: CachedBuild): Promise<void>;
}

/** Plans a build that a worker makes. @throws no_worker, build_other_version, build_aborted */
export async function planOnFarm(planning: FarmPlanning): Promise<BuildPlan> {
  const { farm, request, digest, context, letNextIn, withEarlyScan, keep } = planning;
  const { capability, queue } = await chooseQueue(planning);
  const { id } = await identify(request, digest, capability.engine, capability.versions);
  return {
    id,
    // A queue that does not answer costs the cache hit, never the build.
    // A resumed build skips the lookup: its try has the whole log.
    find: () =>
      farm.queueError === null && !request.again ? soon(systemClock, farm.find(id)) : Promise.resolve(null),
    async make() {
      context.log('queue', `requesting build ${id} from ${farm.address}`);
      const order = { buildId: id, queue, request, letNextIn };
      const built = await withEarlyScan((its, signal) => farm.build(order, its, signal));
      if (!built.report) throw toolchainError('build_damaged');
      await keep(id, built);
      return { ...built, report: built.report };
    },
  };
}

/**
 * Chooses the queue for a design. Preferred: connected workers with this machine's tools, then any connected workers.
 * Without connected workers: the queue of this machine's tools, then a queue that workers served before.
 */
async function chooseQueue(planning: FarmPlanning): Promise<{ capability: Capability; queue: string }> {
  const { farm, request, source, context, signal } = planning;
  const { family } = request.board.fpga;
  const { language } = source;
  const own = await ownCapability(planning);
  const offers = await persistently(
    systemClock,
    () => farm.offers(),
    (queueError) =>
      context.log('queue', `the queue at ${farm.address} ${farm.queueError ?? queueError}: waiting for it`),
    signal,
  );
  const fitting = offers.filter(
    ({ capability }) => capability.family === family && capability.language === language,
  );
  const flow = await flowDigest();
  const same = fitting.filter(({ capability }) => capability.flow === flow);
  const current = same.filter((offer) => offer.current);
  const ofOwn = own && { capability: own, queue: queueOf(own) };
  const found = current.find(({ queue }) => queue === ofOwn?.queue) ?? current[0] ?? ofOwn ?? same[0] ?? null;
  if (current.length === 0) {
    const other = fitting.some((offer) => offer.current);
    if (!found) throw toolchainError(other ? 'build_other_version' : 'no_worker');
    const why = other ? 'the connected workers run another version of Wishbench' : 'no worker is connected';
    context.log('queue', `warning: ${why}: the build waits for one that can make it`);
  }
  if (!found) throw toolchainError('no_worker');
  return found;
}

/** The capability with which this machine would build the design; null where it cannot. */
async function ownCapability({ tools, request, source }: FarmPlanning): Promise<Capability | null> {
  const own = await capabilityOf(tools, request.board, source.language);
  // A tool that is absent here has a version only on the workers.
  return own && !Object.values(own.versions).includes('absent') ? own : null;
}

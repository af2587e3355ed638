import type { FastifyReply } from 'fastify';
import type { Floorplan } from '../../contract/signals/floorplan.ts';
import { signalsError } from '../../errors/signals.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';

/** Size for a full HX8K: the memory to reserve before it is read. */
const FLOORPLAN_BYTES = 1 << 20;

/** The positions of a build's cells. @param buildId absent for a job without a build @throws no_floorplan */
export async function floorplanOf(
  { toolchain, outgoing }: Pick<ApiContext, 'toolchain' | 'outgoing'>,
  buildId: string | undefined,
  { caller, reply }: { caller: Caller; reply: FastifyReply },
): Promise<Floorplan> {
  if (buildId !== undefined) await outgoing.reserve(reply.raw, caller, FLOORPLAN_BYTES);
  const floorplan = buildId === undefined ? null : await toolchain.floorplan(buildId);
  if (!floorplan) throw signalsError('no_floorplan');
  return floorplan;
}

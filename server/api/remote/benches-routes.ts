import type { FastifyInstance } from 'fastify';
import { isFree } from '../../benches/watched-bench.ts';
import type { BenchView, OwnBench } from '../../contract/remote/benches.ts';
import type { ApiContext } from '../context.ts';
import { serve } from '../serving/serve.ts';
import { forwardRoutes } from './forward.ts';

/** Limits the length of names of designs and owners that other benches see. */
const MAX_TEXT_LENGTH = 256;
const short = (text: string): string => [...text].slice(0, MAX_TEXT_LENGTH / 2).join('');

/** The title of this bench. */
const titleOf = ({ settings, hostname }: ApiContext): string =>
  settings.current.benches.title ?? hostname.slice(0, 64);

/** A summary of this bench. */
function ownBench(context: ApiContext): OwnBench {
  const { pool, settings, version, benches } = context;
  const nodes = pool.nodes().map(({ fpga_id, state, session, current_job_id, board, design }) => {
    const builds = state === 'queued' || state === 'building' || state === 'programming';
    const job = builds && current_job_id !== null ? pool.findJob(current_job_id) : null;
    const owner = session?.owner ?? job?.owner ?? null;
    const file = design?.filename ?? job?.submit?.filename ?? null;
    return {
      fpga_id,
      state,
      owner: owner && short(owner),
      board: short(board.name),
      present: board.present,
      design: file && short(file),
    };
  });
  return {
    bench_id: benches.id,
    title: titleOf(context),
    version,
    enforcement: settings.current.auth.enforcement,
    nodes,
  };
}

/** Routes of remote benches: the list, and everything forwarded to them. */
export function benchesRoutes(app: FastifyInstance, context: ApiContext): void {
  serve(app, 'getOwnBench', () => ownBench(context));
  serve(app, 'listBenches', () => {
    const { bench_id, title, version, enforcement, nodes } = ownBench(context);
    const own: BenchView = {
      name: 'own',
      title,
      address: context.listening().url,
      found: 'own',
      state: 'live',
      last_seen: new Date(context.clock.now()).toISOString(),
      bench_id,
      version,
      enforcement,
      nodes,
      idle: nodes.filter(isFree).length,
      takes_work: true,
      problem: null,
    };
    return [own, ...context.benches.list()];
  });
  forwardRoutes(app, context);
}

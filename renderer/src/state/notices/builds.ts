import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { type Outcome, outcomeOf } from '../../format/job.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { hasEnded } from '../jobs/jobs.ts';
import type { Tone } from '../page/notices.ts';
import { isOpenNode, notify } from './notify.ts';

const t = text.changes;

const TONES: Partial<Record<Outcome, Tone>> = { complete: 'good', missed: 'warn', failed: 'bad' };

/** The sentence of an ended build. */
function describeEnd(job: Job): string {
  const { fpga_id: id, failure, summary } = job;
  const file = job.submit?.filename ?? text.nodeActions.noDesign;
  switch (outcomeOf(job)) {
    case 'complete':
      return t.built(id, file, summary);
    case 'missed':
      return t.missed(id, file);
    case 'stopped':
      return t.stopped(id, file);
    case 'cancelled':
      return t.cancelled(id, file);
    default:
      return t.failed(id, file, failure?.message ?? '');
  }
}

/** Tells of the end of own builds. Returns a function that ends it. */
export function watchBuilds(client: BenchClient): () => void {
  return client.onJob((job, before) => {
    const { job_id: id, fpga_id: node, type, owner } = job;
    if (type !== 'build_and_program' || !hasEnded(job) || (before && hasEnded(before))) return;
    if (!client.mine.has(id) && !(client.named && owner === client.owner)) return;
    // Who cancelled it knows.
    const toast = job.status === 'cancelled' || isOpenNode(node) ? 'never' : 'new';
    const about = { kind: 'job', node, job: id } as const;
    const tone = TONES[outcomeOf(job)] ?? 'plain';
    notify(client, { key: `build ${id}`, tone, text: describeEnd(job), about }, { toast });
  });
}

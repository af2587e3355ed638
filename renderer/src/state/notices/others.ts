import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { isOwn } from '../nodes/activity.ts';
import { describeActivity } from '../nodes/describe-activity.ts';
import type { Tone } from '../page/notices.ts';
import { isOpenNode, notify } from './notify.ts';

const t = text.changes;

/** Kinds that end or change what the person has on a node. */
const TONES: Partial<Record<ActivityEntry['kind'], Tone>> = {
  released: 'warn',
  reset: 'warn',
  expired: 'warn',
  replaced: 'warn',
  handed_over: 'warn',
  restored: 'warn',
  cancelled: 'warn',
};

/** The notice of an entry for this person, or undefined. */
function noticeOf(client: BenchClient, entry: ActivityEntry): { tone: Tone; text: string } | undefined {
  const { kind, by, owner, to, fpga_id: node } = entry;
  const who = by ?? text.activity.bench;
  if (node === null || isOwn(client, entry)) return undefined;
  if (to === client.owner && kind === 'handed_over') return { tone: 'good', text: t.approved(node, who) };
  if (to === client.owner && kind === 'declined') return { tone: 'plain', text: t.declined(node, who) };
  const tone = TONES[kind];
  if (owner !== client.owner || tone === undefined) return undefined;
  return { tone, text: t.ofNode(node, `${describeActivity(entry, client.owner)}.`) };
}

/**
 * Tells of the answers to own requests, and of what others did to the person's nodes, also while the page was closed.
 * Returns a function that ends it.
 */
export function watchOthers(client: BenchClient): () => void {
  let loaded = client.activity.getState().opened !== undefined;
  const look = () => {
    const { byNode, opened } = client.activity.getState();
    if (opened === undefined) return;
    const entries = Object.values(byNode)
      .flatMap((all) => all ?? [])
      .sort((a, b) => a.seq - b.seq);
    const { lastSeq } = client.notices.getState();
    // Without entries, whatever comes is new.
    const newest = entries.at(-1)?.seq ?? Math.max(0, lastSeq);
    const first = !loaded;
    loaded = true;
    if (newest === lastSeq) return;
    client.notices.setState({ lastSeq: newest });
    // Without a last time there is nothing that the person missed. A lower number is that of another data directory.
    if (lastSeq < 0 || newest < lastSeq) return;
    for (const entry of entries) {
      const { seq, fpga_id: node } = entry;
      const notice = seq > lastSeq && node !== null ? noticeOf(client, entry) : undefined;
      if (notice === undefined || node === null) continue;
      const answer = entry.to === client.owner;
      const toast = first || (isOpenNode(node) && !answer) ? 'never' : 'new';
      notify(client, { key: `activity ${seq}`, ...notice, about: { kind: 'node', node } }, { toast });
    }
  };
  look();
  return client.activity.subscribe(look);
}

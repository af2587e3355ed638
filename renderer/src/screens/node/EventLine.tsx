// The activity line of a node.
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Icon, type IconName } from '../../components/Icon.tsx';
import { Ago } from '../../components/Time.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { submitAgain, submitWay } from '../../state/drafts/submission.ts';
import { dismissActivity, eventOf } from '../../state/nodes/activity.ts';
import { describeActivity } from '../../state/nodes/describe-activity.ts';
import { navigate } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';

const t = text.activity;

const ICONS: Record<ActivityEntry['kind'], IconName> = {
  taken: 'user',
  released: 'idle',
  reset: 'power',
  expired: 'queued',
  replaced: 'upload',
  handed_over: 'user',
  declined: 'user',
  restored: 'programming',
  cancelled: 'cancelled',
  stopped: 'cancelled',
};

/** The newest build of a design on this node, to submit it again. */
function useBuildOf(id: number, event: ActivityEntry | undefined): Job | undefined {
  return useBenchStore(
    ({ jobs }) => jobs,
    ({ byId }) => {
      if (!event) return undefined;
      const named = event.job_id === null ? undefined : byId.get(event.job_id);
      if (named?.submit) return named;
      let newest: Job | undefined;
      for (const job of byId.values())
        if (
          job.fpga_id === id &&
          job.submit?.filename === event.design &&
          job.created_at > (newest?.created_at ?? '')
        )
          newest = job;
      return newest;
    },
  );
}

/** The newest activity of others, or of the bench, on this node, with the next step. It stays until dismissed. */
export function EventLine({ node }: { node: NodeView }) {
  const client = useBench();
  const id = node.fpga_id;
  const event = useBenchStore(
    ({ activity }) => activity,
    (state) => eventOf(client, state, id),
  );
  const build = useBuildOf(id, event);
  if (!event) return null;
  const mine = event.owner === client.owner;
  const ended = event.kind !== 'restored' && event.kind !== 'handed_over';
  const ofJob = event.kind === 'cancelled' || event.kind === 'stopped';
  const kept = mine && ended && !ofJob ? event.transactions : 0;
  const told = describeActivity(event, client.owner);
  const again =
    mine && ended && event.kind !== 'replaced' && build && submitWay(node, client.owner).kind === 'submit';
  return (
    <div className="node-note node-event" role="status" aria-label={t.label}>
      <Icon name={ICONS[event.kind]} />
      <p title={told}>
        <strong>{told}</strong> <Ago at={event.at} />
        {event.kind === 'restored' ? `; ${t.registersAnew}.` : kept > 0 ? `; ${t.kept(kept)}.` : '.'}
      </p>
      {(event.kind === 'restored' || kept > 0) && (
        <Button onClick={() => navigate({ kind: 'node', node: id, tab: 'registers', job: undefined })}>
          {event.kind === 'restored' ? t.readAgain : t.showKept}
        </Button>
      )}
      {again && (
        <Button icon="upload" onClick={() => void submitAgain(client, build)}>
          {text.node.again}
        </Button>
      )}
      <IconButton
        icon="close"
        label={text.dismiss}
        onClick={() => dismissActivity(client.activity, client.memory, id)}
      />
    </div>
  );
}

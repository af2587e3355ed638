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
import { navigate } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';

const t = text.node.event;

const ICONS: Record<ActivityEntry['kind'], IconName> = {
  taken: 'user',
  released: 'close',
  reset: 'repeat',
  expired: 'queued',
  replaced: 'upload',
  handed_over: 'user',
  declined: 'user',
  restored: 'programming',
  cancelled: 'cancelled',
  stopped: 'cancelled',
};

/** The sentence of an activity entry, without its time. */
function whatHappened({ kind, by, owner, to, design }: ActivityEntry, me: string): string {
  const who = by ?? t.bench;
  const whose = owner === null ? null : owner === me ? t.your : t.of(owner);
  const file = design ?? text.nodeActions.noDesign;
  switch (kind) {
    case 'released':
      return t.released(who, whose, file);
    case 'reset':
      return t.reset(who);
    case 'expired':
      return t.expired(whose, file);
    case 'replaced':
      return t.replaced(who, whose, file);
    case 'handed_over':
      return t.handedOver(who, to === me ? t.you : (to ?? ''));
    case 'declined':
      return t.declined(who, to === me ? null : (to ?? ''));
    case 'restored':
      return t.restored(file);
    case 'cancelled':
      return t.cancelled(who, whose, file);
    case 'stopped':
      return t.stopped(who, whose, file);
    case 'taken':
      return t.taken(who, file);
  }
}

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
  const told = whatHappened(event, client.owner);
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

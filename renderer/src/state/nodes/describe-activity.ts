import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import { text } from '../../text/text.ts';

const t = text.activity;

/** The sentence of an activity entry, without its time. */
export function describeActivity({ kind, by, owner, to, design }: ActivityEntry, me: string): string {
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

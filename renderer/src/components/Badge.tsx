import type { FpgaState } from '../../../server/contract/nodes/nodes.ts';
import type { Outcome } from '../format/job.ts';
import { text } from '../text/text.ts';
import './badge.css';
import { Icon, type IconName } from './Icon.tsx';

export type Tone = 'idle' | 'queued' | 'busy' | 'reserved' | 'error' | 'warn';

/** Icon and word on a colour: colour never carries the meaning without a word. */
export function Badge({ tone, icon, children }: { tone: Tone; icon: IconName; children: string }) {
  return (
    <span className={`badge badge-${tone}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

const STATES: Record<FpgaState, { tone: Tone; icon: IconName }> = {
  idle: { tone: 'idle', icon: 'idle' },
  queued: { tone: 'queued', icon: 'queued' },
  building: { tone: 'busy', icon: 'building' },
  programming: { tone: 'busy', icon: 'programming' },
  reserved: { tone: 'reserved', icon: 'reserved' },
  error: { tone: 'error', icon: 'error' },
};

export const stateTone = (state: FpgaState): Tone => STATES[state].tone;

export const stateIcon = (state: FpgaState): IconName => STATES[state].icon;

export function StateBadge({ state, resetting = false }: { state: FpgaState; resetting?: boolean }) {
  if (resetting)
    return (
      <Badge tone="busy" icon="building">
        {text.state.resetting}
      </Badge>
    );
  const { tone, icon } = STATES[state];
  return (
    <Badge tone={tone} icon={icon}>
      {text.state[state]}
    </Badge>
  );
}

const OUTCOMES: Record<Outcome, { tone: Tone; icon: IconName }> = {
  queued: { tone: 'queued', icon: 'queued' },
  running: { tone: 'busy', icon: 'building' },
  complete: { tone: 'reserved', icon: 'complete' },
  failed: { tone: 'error', icon: 'error' },
  cancelled: { tone: 'warn', icon: 'cancelled' },
  stopped: { tone: 'warn', icon: 'cancelled' },
  missed: { tone: 'warn', icon: 'warning' },
};

export function StatusBadge({ outcome }: { outcome: Outcome }) {
  const { tone, icon } = OUTCOMES[outcome];
  return (
    <Badge tone={tone} icon={icon}>
      {text.status[outcome]}
    </Badge>
  );
}

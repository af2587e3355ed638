// The steps of a board check.
import type { CheckStep } from '../../../../server/contract/boards/board-checks.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import type { IconName } from '../../components/Icon.tsx';
import { formatDuration } from '../../format/time.ts';
import { text } from '../../text/text.ts';

const t = text.check;

const LOOKS: Record<CheckStep['state'], { tone: Tone; icon: IconName }> = {
  waiting: { tone: 'idle', icon: 'idle' },
  running: { tone: 'busy', icon: 'building' },
  passed: { tone: 'reserved', icon: 'complete' },
  warning: { tone: 'warn', icon: 'warning' },
  failed: { tone: 'error', icon: 'error' },
  skipped: { tone: 'idle', icon: 'info' },
};

function Step({ step }: { step: CheckStep }) {
  const { title, expected, state, happened, failure, milliseconds } = step;
  const look = LOOKS[state];
  return (
    <li className="check-step">
      <Badge tone={look.tone} icon={look.icon}>
        {t.states[state]}
      </Badge>
      <div>
        <p className="check-step-title">
          {title}
          {milliseconds !== null && (
            <span className="muted num check-step-time">{formatDuration(milliseconds / 1000)}</span>
          )}
        </p>
        <dl className="check-words">
          <dt>{t.expected}</dt>
          <dd>{expected}</dd>
          {happened && (
            <>
              <dt>{t.happened}</dt>
              <dd>{happened}</dd>
            </>
          )}
        </dl>
        {failure && (
          <p className={state === 'failed' ? 'check-failure' : 'check-failure check-failure-mild'}>
            <code>{failure.error}</code> {failure.remedy}
          </p>
        )}
      </div>
    </li>
  );
}

/** The steps of a check in order: expected, actual, and the remedy after a failure. */
export function CheckSteps({ steps }: { steps: readonly CheckStep[] }) {
  return (
    // The dialog scrolls, and the keyboard needs something to focus.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <ol className="check-steps" tabIndex={0} aria-label={t.steps}>
      {steps.map((step) => (
        <Step key={`${step.step} ${step.baud ?? ''}`} step={step} />
      ))}
    </ol>
  );
}

import type { ScriptReport, StepResult } from '../../../../server/contract/jobs/scripts.ts';
import { Icon } from '../../components/Icon.tsx';
import { hexWord } from '../../format/words.ts';
import { text } from '../../text/text.ts';

const t = text.node.script;
/** Maximum words of a step on display. */
const MAX_WORDS = 4;

const wordsOf = (words: readonly number[]): string =>
  words.slice(0, MAX_WORDS).map(hexWord).join(' ') + (words.length > MAX_WORDS ? ' …' : '');

function Step({ result }: { result: StepResult }) {
  const { ok, says, got, error, times, failures } = result;
  const look = ok === null ? 'muted' : ok ? 'text-good' : 'text-bad';
  return (
    <li className="script-step">
      <span className={look}>
        <Icon name={ok === null ? 'idle' : ok ? 'complete' : 'error'} size={14} />
        <span className="sr-only">{ok === null ? t.skipped : ok ? t.passed : t.failed}: </span>
      </span>
      <span>
        {says}
        {failures > 0 && times > 1 && <span className="muted"> {t.ofTimes(failures, times)}</span>}
        {ok === false && error && <span className="text-bad"> {error.message}</span>}
        {got && got.length > 0 && <span className="mono muted script-words"> {wordsOf(got)}</span>}
      </span>
    </li>
  );
}

/** The result of a script: each step with ✓ or ✗ and the words read. */
export function ScriptSteps({ report }: { report: ScriptReport }) {
  const { passed, failed, skipped, steps, stopped } = report;
  return (
    <>
      <p className={failed > 0 || stopped ? 'text-bad' : 'text-good'} role="status">
        {failed === 0 && skipped === 0 ? t.allPassed(passed) : t.some(passed, failed, skipped)}
      </p>
      <ol className="script-steps">
        {steps.map((result) => (
          <Step key={result.step.join('.')} result={result} />
        ))}
      </ol>
      {stopped && <p className="text-bad">{stopped.message}</p>}
    </>
  );
}

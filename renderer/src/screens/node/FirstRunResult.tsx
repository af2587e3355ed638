import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { IconButton } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { formatDuration } from '../../format/time.ts';
import { hexAddress, hexWord } from '../../format/words.ts';
import { useBench, useNodes, usePreference } from '../../state/client/context.tsx';
import { FIRST_ADDRESS, FIRST_WORD } from '../../state/drafts/first-run.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import './first-run-result.css';

const t = text.node.firstRun;

/** What to try after the first run; its room is there before. */
function Next({ id, ready }: { id: number; ready: boolean }) {
  const idle = useNodes()?.find(({ state, board }) => state === 'idle' && board.present);
  const links = [
    { label: t.change, to: href({ kind: 'node', node: id, tab: 'design', job: undefined }) },
    { label: t.signals, to: href({ kind: 'node', node: id, tab: 'signals', job: undefined }) },
    {
      label: t.own,
      to: href(
        idle ? { kind: 'node', node: idle.fpga_id, tab: 'design', job: undefined } : { kind: 'bench' },
      ),
    },
  ];
  return (
    <ul className={`first-run-next ${ready ? '' : 'first-run-later'}`} aria-label={t.next}>
      {links.map(({ label, to }) => (
        <li key={label}>
          <a href={to}>{label}</a>
        </li>
      ))}
    </ul>
  );
}

/** How the first run went and what to try next. It is there from the start, and stays until dismissed. */
export function FirstRunResult({ node }: { node: NodeView }) {
  const client = useBench();
  const run = usePreference('firstRun');
  if (run === null || (node.last_build?.job_id !== run.job_id && node.current_job_id !== run.job_id))
    return null;
  const { read, seconds } = run;
  const good = seconds === null || read === FIRST_WORD;
  return (
    <aside className="first-run" aria-label={t.label}>
      <span className={seconds === null ? 'muted' : good ? 'text-good' : 'text-bad'}>
        <Icon name={seconds === null ? 'building' : good ? 'complete' : 'error'} />
      </span>
      <div>
        <p role="status">
          {seconds === null
            ? t.running
            : good
              ? t.done(
                  hexWord(FIRST_WORD),
                  hexAddress(FIRST_ADDRESS),
                  hexWord(read ?? 0),
                  formatDuration(seconds),
                )
              : t.wrong(hexWord(FIRST_WORD), read === null ? '–' : hexWord(read))}
        </p>
        <Next id={node.fpga_id} ready={seconds !== null} />
      </div>
      <IconButton
        icon="close"
        label={text.dismiss}
        onClick={() => client.preferences.setState({ firstRun: null })}
      />
    </aside>
  );
}

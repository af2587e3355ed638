import { useStore } from 'zustand';
import { IconButton } from '../../../../components/Button.tsx';
import { formatDuration } from '../../../../format/time.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { explain } from '../../../../state/page/explain.ts';
import { text } from '../../../../text/text.ts';
import { changePolling, INTERVALS, type Interval, NOT_POLLING, polling } from '../polling.ts';
import './watch.css';

const t = text.registers.polling;

/** The poll interval of the chosen registers, with the state of polling. */
export function PollBar({ node, ready }: { node: number; ready: boolean }) {
  const client = useBench();
  const { addresses, interval, paused, stopped } = useStore(polling, (all) => all[node] ?? NOT_POLLING);
  const way = useStore(client.lines.of(node).way);
  return (
    <fieldset className="poll-bar">
      <legend className="sr-only">{t.label}</legend>
      {addresses.size > 0 && (
        <span className="muted" role="status">
          {t.state(addresses.size)}
          {paused && `, ${t.paused}`}
        </span>
      )}
      <label className="row">
        <span className="muted">{t.interval}</span>
        <select
          className="input poll-interval"
          value={interval}
          onChange={(event) =>
            changePolling(client, node, { interval: Number(event.target.value) as Interval })
          }
        >
          {INTERVALS.map((seconds) => (
            <option key={seconds} value={seconds}>
              {formatDuration(seconds)}
            </option>
          ))}
        </select>
      </label>
      <IconButton
        icon={paused ? 'play' : 'pause'}
        label={paused ? t.resume : t.pause}
        disabled={addresses.size === 0 || (paused && !ready)}
        onClick={() => changePolling(client, node, { paused: !paused })}
      />
      {way.kind === 'runs' && addresses.size > 0 && (
        <p className="field-hint poll-stopped" role="status">
          {t.runs(way.reason)}
        </p>
      )}
      {stopped !== undefined && (
        <p className="field-problem poll-stopped" role="alert">
          {t.stopped(explain(stopped).message)}
        </p>
      )}
    </fieldset>
  );
}

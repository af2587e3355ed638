import { useEffect, useState } from 'react';
import { formatAgo, formatCountdown, formatDuration, formatInstant } from '../format/time.ts';
import { text } from '../text/text.ts';

/** The current time, renewed every `interval` ms; it stops while `interval` is null. */
export function useNow(interval: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (interval === null) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return now;
}

/** `12 s ago`, with the absolute time on hover. */
export function Ago({ at }: { at: string }) {
  const then = Date.parse(at);
  const now = useNow(Date.now() - then < 60_000 ? 1000 : 30_000);
  return (
    <time dateTime={at} title={formatInstant(then)}>
      {formatAgo(then, now)}
    </time>
  );
}

/** The time left until `at`, such as `47:12`. */
export function TimeLeft({ at }: { at: string }) {
  const then = Date.parse(at);
  const now = useNow(1000);
  return (
    <time className="mono" dateTime={at} title={`${text.session.expires} ${formatInstant(then)}`}>
      {formatCountdown((then - now) / 1000)}
    </time>
  );
}

/** Milliseconds between two changes of a duration that is shown while it grows: it has tenths of a second for a minute. */
export const durationTick = (from: number): number => (Date.now() - from < 60_000 ? 100 : 1000);

/** Seconds since `from`, counting; a fixed span if `to` is there. */
export function Elapsed({ from, to }: { from: string; to?: string | undefined }) {
  const now = useNow(to === undefined ? durationTick(Date.parse(from)) : null);
  const seconds = ((to === undefined ? now : Date.parse(to)) - Date.parse(from)) / 1000;
  return <span className="mono">{formatDuration(Math.max(0, seconds))}</span>;
}

/** A duration in seconds as the log and the lists write it: `< 1 ms`, `320 ms`, `4.1 s`, `2 m 10 s`, `1 h 05 m`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '–';
  if (seconds < 0.0005) return '< 1 ms';
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} m`;
}

/** Time left as a clock: `47:12`, `1:02:09`; `0:00` when it has passed. */
export function formatCountdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** `just now`, `12 s ago`, `5 min ago`, `3 h ago`, then the date. Times in milliseconds since 1970. */
export function formatAgo(then: number, now: number): string {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(then).toISOString().slice(0, 10);
}

/** The absolute time for a tooltip: local date and time with seconds. */
export function formatInstant(then: number): string {
  const date = new Date(then);
  const two = (value: number) => String(value).padStart(2, '0');
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

/** Time of day with milliseconds, for transactions. */
export function formatClock(then: number): string {
  const date = new Date(then);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(
    date.getMilliseconds(),
  ).padStart(3, '0')}`;
}

/** A time of day to the minute, with the date if that is another day. */
export function formatMinute(then: number, now: number): string {
  const whole = formatInstant(then).slice(0, 16);
  return whole.slice(0, 10) === formatInstant(now).slice(0, 10) ? whole.slice(11) : whole;
}

import './progress.css';

/** A thin progress bar; without a fraction it is indeterminate. */
export function Progress({
  label,
  fraction,
  tone = 'busy',
}: {
  label: string;
  fraction: number | undefined;
  tone?: 'busy' | 'reserved' | 'warn' | 'error';
}) {
  const percent = fraction === undefined ? undefined : Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={`progress progress-${tone} ${percent === undefined ? 'progress-unknown' : ''}`}
    >
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="progress-fill" width={percent ?? 30} height="1" />
      </svg>
    </span>
  );
}

/** A share of a maximum, such as used LUTs of available LUTs. */
export function Meter({
  label,
  value,
  max,
  tone,
}: {
  label: string;
  value: number;
  max: number;
  tone: 'busy' | 'reserved' | 'warn' | 'error' | 'idle';
}) {
  const percent = max > 0 ? Math.min(100, (100 * value) / max) : 0;
  return (
    // Not every browser lets a page colour a <meter>.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <span
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      className={`progress meter progress-${tone}`}
    >
      <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="progress-fill" width={value > 0 ? Math.max(percent, 0.6) : 0} height="1" />
      </svg>
    </span>
  );
}

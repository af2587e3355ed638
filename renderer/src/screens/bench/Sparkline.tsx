import { memo } from 'react';

const WIDTH = 120;
const HEIGHT = 28;
/** Maximum points for the width. */
const MOST = 120;

/** A small plot of a value, without axes. */
export const Sparkline = memo(function Sparkline({
  values,
  label,
}: {
  /** Oldest first. */
  values: readonly number[];
  label: string;
}) {
  const shown = values.slice(-MOST);
  const low = Math.min(...shown);
  const high = Math.max(...shown);
  const x = (index: number) => (shown.length === 1 ? WIDTH : (index * WIDTH) / (shown.length - 1));
  const y = (value: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4);
  // A register holds its value until it changes: steps, not slopes.
  const path = shown
    .map((value, index) =>
      index === 0
        ? `M${x(0).toFixed(1)} ${y(value).toFixed(1)}`
        : `H${x(index).toFixed(1)}V${y(value).toFixed(1)}`,
    )
    .join('');
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={path} />
    </svg>
  );
});

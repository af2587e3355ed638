// Two panes side by side with a border that moves.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { text } from '../text/text.ts';
import './split.css';

const KEY_STEP = 16;

interface SplitProps {
  /** Name under which this browser remembers the width. */
  id: string;
  /** What the border divides, for screen readers. */
  label: string;
  /** The pane that keeps its width when the window changes; the other one takes the rest. */
  sized: 'first' | 'second';
  /** Width of the sized pane in CSS pixels before anyone moves the border. */
  initial: number;
  min: number;
  max: number;
  first: ReactNode;
  second: ReactNode;
}

/** Two panes side by side. In a narrow container they stand one below the other, without a border to move. */
export function Split({ id, label, sized, initial, min, max, first, second }: SplitProps) {
  const client = useBench();
  const kept = useBenchStore(
    (bench) => bench.preferences,
    (preferences) => preferences.widths[id],
  );
  const grid = useRef<HTMLDivElement>(null);
  const width = Math.min(max, Math.max(min, kept ?? initial));
  const resize = (next: number | undefined) =>
    client.preferences.setState(({ widths: { [id]: _, ...others } }) => ({
      widths:
        next === undefined ? others : { ...others, [id]: Math.round(Math.min(max, Math.max(min, next))) },
    }));

  const follow = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !grid.current) return;
    const { left, right } = grid.current.getBoundingClientRect();
    resize(sized === 'first' ? event.clientX - left : right - event.clientX);
  };
  const move = (event: KeyboardEvent) => {
    const towards = sized === 'first' ? 1 : -1;
    if (event.key === 'ArrowRight') resize(width + towards * KEY_STEP);
    else if (event.key === 'ArrowLeft') resize(width - towards * KEY_STEP);
    else if (event.key === 'Home') resize(min);
    else if (event.key === 'End') resize(max);
    else if (event.key === 'Enter') resize(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="split">
      <div
        className={`split-grid split-${sized}`}
        ref={grid}
        style={{ ['--split-width' as string]: `${width}px` }}
      >
        <div className="split-pane">{first}</div>
        {/* biome-ignore lint/a11y/useSemanticElements: a border that moves is a separator with a value, not a rule */}
        <div
          className="split-border"
          role="separator"
          aria-orientation="vertical"
          aria-label={label}
          aria-valuemin={min}
          aria-valuemax={max}
          aria-valuenow={width}
          tabIndex={0}
          title={text.splitHint}
          onKeyDown={move}
          onDoubleClick={() => resize(undefined)}
          onPointerDown={(event) => {
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            event.currentTarget.focus();
          }}
          onPointerMove={follow}
        />
        <div className="split-pane">{second}</div>
      </div>
    </div>
  );
}

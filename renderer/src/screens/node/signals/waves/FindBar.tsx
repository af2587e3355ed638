import { useState } from 'react';
import { Button } from '../../../../components/Button.tsx';
import { text } from '../../../../text/text.ts';
import type { Comparison } from '../recording/differences.ts';
import type { Traces } from '../recording/trace.ts';
import type { SignalLane } from './lanes.ts';
import { findDifference, findSample, type Wanted } from './search.ts';
import { parseValue } from './value-text.ts';

const t = text.signals;

const KINDS = ['change', 'rising', 'falling', 'value', 'difference'] as const;
type Kind = (typeof KINDS)[number];

/** The search, as typed. */
export interface Find {
  kind: Kind;
  value: string;
}

/** @returns null if it is not a value of the signal */
function wantedOf({ kind, value }: Find, { width, names }: SignalLane): Wanted | null {
  if (kind === 'difference') return { kind: 'change' };
  if (kind === 'value') {
    const parsed = parseValue(value, width, names);
    return parsed === null ? null : { kind, value: parsed };
  }
  return kind !== 'change' && width > 1 ? { kind: 'change' } : { kind };
}

/**
 * Searches the selected signal forwards or backwards.
 * @returns the sample; null without a match, or without a search
 */
export function find(
  { traces, comparison }: { traces: Traces | undefined; comparison?: Comparison | undefined },
  lane: SignalLane | undefined,
  what: Find,
  cursor: number | undefined,
  direction: 'next' | 'previous',
): number | null {
  const trace = lane && traces?.of(lane.name);
  const wanted = lane && wantedOf(what, lane);
  if (!trace || !wanted) return null;
  if (what.kind === 'difference') {
    const differences = comparison?.of(lane.name);
    return differences ? findDifference(differences, cursor ?? -1, direction) : null;
  }
  return findSample(trace, cursor ?? (direction === 'next' ? -1 : trace.end), direction, wanted);
}

interface Props {
  lane: SignalLane | undefined;
  traces: Traces;
  comparison?: Comparison | undefined;
  what: Find;
  onChange(what: Find): void;
  /** Searches; false without a match. */
  onFind(direction: 'next' | 'previous'): boolean;
}

/** The search bar: finds an edge or a value of the selected signal. */
export function FindBar({ lane, traces, comparison, what, onChange, onFind }: Props) {
  const [vain, setVain] = useState(false);
  const recorded = lane !== undefined && traces.of(lane.name) !== undefined;
  const kinds = KINDS.filter((kind) =>
    kind === 'difference'
      ? comparison !== undefined
      : kind === 'change' || kind === 'value' || lane?.width === 1,
  );
  const kind = kinds.includes(what.kind) ? what.kind : 'change';
  const bad = kind === 'value' && what.value !== '' && lane !== undefined && wantedOf(what, lane) === null;
  const put = (change: Partial<Find>) => {
    setVain(false);
    onChange({ ...what, kind, ...change });
  };
  const look = (direction: 'next' | 'previous') => setVain(!onFind(direction));
  const off = !recorded || bad || (kind === 'value' && what.value === '');
  return (
    <search className="waves-find">
      <select
        className="input"
        aria-label={lane ? t.findIn(lane.name) : t.find}
        value={kind}
        onChange={(event) => put({ kind: KINDS.find((one) => one === event.target.value) ?? 'change' })}
      >
        {kinds.map((one) => (
          <option key={one} value={one}>
            {t.findKinds[one]}
          </option>
        ))}
      </select>
      {kind === 'value' && (
        <input
          className="input mono waves-find-value"
          aria-label={t.findValue}
          aria-invalid={bad || undefined}
          value={what.value}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => put({ value: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !off) look(event.shiftKey ? 'previous' : 'next');
          }}
        />
      )}
      <Button icon="left" disabled={off} onClick={() => look('previous')}>
        {t.previous}
      </Button>
      <Button icon="right" disabled={off} onClick={() => look('next')}>
        {t.next}
      </Button>
      <span className="waves-vain muted" role="status">
        {!recorded ? t.findFirst : vain ? t.notFound : ''}
      </span>
    </search>
  );
}

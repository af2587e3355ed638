import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import type { SignalTrace, Trace, Traces } from './trace.ts';

/** Where a signal differs from that of another recording, as pieces that alternate. */
export interface DifferenceTrace extends Trace {
  differs(piece: number): boolean;
}

const zeroOf = ({ trigger_sample: trigger }: CaptureView): number => trigger ?? 0;

/** The differences of one trace from another, of which sample 0 is at `shift`. Nothing is compared outside of both. */
export function differencesOf(trace: SignalTrace, other: SignalTrace, shift: number): DifferenceTrace {
  const starts: number[] = [0];
  const states: boolean[] = [false];
  const put = (sample: number, differs: boolean) => {
    if (states.at(-1) === differs) return;
    if (starts.at(-1) === sample) states[states.length - 1] = differs;
    else {
      starts.push(sample);
      states.push(differs);
    }
  };
  const end = Math.min(trace.end, other.end + shift);
  const sameWidth = trace.field.width === other.field.width;
  let [one, two] = [0, 0];
  for (let at = Math.max(0, shift); at < end; ) {
    while ((trace.starts[one + 1] ?? Infinity) <= at) one++;
    while ((other.starts[two + 1] ?? Infinity) + shift <= at) two++;
    put(at, !sameWidth || trace.value(one) !== other.value(two));
    at = Math.min(trace.starts[one + 1] ?? Infinity, (other.starts[two + 1] ?? Infinity) + shift);
  }
  if (end < trace.end) put(Math.max(0, end), false);
  return { starts: Uint32Array.from(starts), end: trace.end, differs: (piece) => states[piece] ?? false };
}

/** A recording next to the one that is shown, with their triggers at one place. Differences are found on first use. */
export class Comparison {
  readonly traces: Traces;
  /** The sample of the shown recording at which this one begins. */
  readonly shift: number;
  readonly #shown: Traces;
  readonly #found = new Map<string, DifferenceTrace>();

  constructor(shown: Traces, traces: Traces) {
    this.#shown = shown;
    this.traces = traces;
    this.shift = zeroOf(shown.samples.view) - zeroOf(traces.samples.view);
  }

  /** Recordings with other distances between their samples cannot be compared. */
  get isPossible(): boolean {
    return this.#shown.samples.view.every === this.traces.samples.view.every;
  }

  /** Undefined for a signal that one of them lacks. */
  of(name: string): DifferenceTrace | undefined {
    const known = this.#found.get(name);
    if (known) return known;
    const [trace, other] = [this.#shown.of(name), this.traces.of(name)];
    if (!trace || !other) return undefined;
    const found = differencesOf(trace, other, this.shift);
    this.#found.set(name, found);
    return found;
  }
}

import type { Clock } from '../../clock.ts';
import type { Stage } from '../../contract/jobs/jobs.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { ToolContext } from '../build-request.ts';
import type { Translated } from '../frontends/frontend.ts';
import { type DesignScan, requireMatch, scanDesignSources } from '../frontends/scan.ts';
import type { ToolEngine } from '../tool-engine.ts';
import type { BuildSlots } from './build-slots.ts';
import type { RunningScan, ScanLanes } from './scan-lanes.ts';

/** Result of scanning a design before its build has a slot. */
export type EarlyScan = {
  /** For the job's log when the build begins. */
  lines: [stage: Stage, line: string][];
} & (
  | { kind: 'scanned'; verilog: Translated; scan: DesignScan; seconds: number }
  | { kind: 'refused'; error: BenchError }
);

/** Error codes that are about the design itself. */
const LASTS = /^design_|^build_too_large$/;

/**
 * Scans a design while its build waits for a slot. Null when the scan fails for another reason, for example a time limit;
 * the build then scans again.
 * @param translated translates the design into a form that slang or Yosys reads
 */
export async function scanEarly(
  engine: ToolEngine,
  lane: RunningScan,
  translated: (context: ToolContext) => Promise<Translated>,
  signal: AbortSignal,
  clock: Clock,
): Promise<EarlyScan | null> {
  const lines: EarlyScan['lines'] = [];
  const quiet: ToolContext = { log: (...line) => lines.push(line), progress() {}, signal };
  const began = clock.monotonic();
  try {
    const verilog = await translated(quiet);
    const scan = await scanDesignSources(verilog.source, verilog.request, engine, quiet, () =>
      lane.takesLong(),
    );
    requireMatch(scan);
    return { kind: 'scanned', verilog, scan, seconds: (clock.monotonic() - began) / 1000, lines };
  } catch (error) {
    return error instanceof BenchError && LASTS.test(error.code) ? { kind: 'refused', error, lines } : null;
  }
}

/** What a waiting build needs. */
interface Waiting {
  slots: BuildSlots;
  /** Called with the place in line. */
  moved(position: number): void;
  lanes: ScanLanes;
  look(lane: RunningScan, signal: AbortSignal): Promise<EarlyScan | null>;
}

/**
 * Waits for a slot and scans the design meanwhile. A refused design leaves the line at once.
 * @returns the scan, if there was time for one, and the function that gives the slot back; a refused design has no slot
 * @throws build_aborted
 */
export async function waitForSlot(
  { slots, moved, lanes, look }: Waiting,
  signal: AbortSignal | undefined,
): Promise<{ release: () => void; early: EarlyScan | null }> {
  const free = slots.busy < slots.total && slots.waiting === 0;
  if (free) return { release: await slots.acquire(moved, signal), early: null };
  const stop = new AbortController();
  const abort = () => stop.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const looking = async () => {
    const lane = await lanes.enter(stop.signal, true);
    try {
      return await look(lane, stop.signal);
    } finally {
      lane.end();
    }
  };
  try {
    const acquired = slots.acquire(moved, stop.signal);
    // A build with a slot does not wait for the scan.
    const early = await Promise.race([acquired.then(() => null), looking()]);
    if (early?.kind !== 'refused') return { release: await acquired, early };
    // The slot may still arrive: give it back.
    acquired.then(
      (release) => release(),
      () => {},
    );
    return { release() {}, early };
  } finally {
    signal?.removeEventListener('abort', abort);
    abort();
  }
}

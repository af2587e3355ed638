import type { Clock } from '../../clock.ts';
import type { Stage } from '../../contract/jobs/jobs.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { BuildRequest, ToolContext } from '../build-request.ts';
import type { Translated } from '../frontends/frontend.ts';
import { type DesignScan, requireMatch, scanDesignSources } from '../frontends/scan.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import type { Slots } from '../slots.ts';
import type { InstalledTools } from './installed-tools.ts';
import type { ScanLanes } from './scan-lanes.ts';

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

/** Scans a design while its build waits; null when the scan fails for another reason, for example a time limit. */
export type LookEarly = (signal: AbortSignal) => Promise<EarlyScan | null>;

/**
 * Scans a design while its build waits, among the early scans: see LookEarly. The build scans again after a failure.
 * @throws build_aborted
 */
export async function scanEarly(
  { tools, scans, clock }: { tools: InstalledTools; scans: ScanLanes; clock: Clock },
  request: BuildRequest,
  source: PreparedDesign,
  signal: AbortSignal,
): Promise<EarlyScan | null> {
  const lines: EarlyScan['lines'] = [];
  const quiet: ToolContext = { log: (...line) => lines.push(line), progress() {}, signal };
  const lane = await scans.enter(signal, true);
  const began = clock.monotonic();
  try {
    const verilog = await tools.frontends.of(source.language).translate(request, source, quiet);
    const scan = await scanDesignSources(verilog.source, verilog.request, tools.reader, quiet, () =>
      lane.takesLong(),
    );
    requireMatch(scan);
    return { kind: 'scanned', verilog, scan, seconds: (clock.monotonic() - began) / 1000, lines };
  } catch (error) {
    return error instanceof BenchError && LASTS.test(error.code) ? { kind: 'refused', error, lines } : null;
  } finally {
    lane.end();
  }
}

/**
 * Waits for a slot and scans the design meanwhile. A refused design leaves the line at once.
 * @param moved called with the place in line
 * @returns the scan, if there was time for one, and the function that gives the slot back; a refused design has no slot
 * @throws build_aborted
 */
export async function waitForSlot(
  slots: Slots,
  moved: (place: number) => void,
  look: LookEarly,
  outer: AbortSignal | undefined,
): Promise<{ release: () => void; early: EarlyScan | null }> {
  if (slots.free) return { release: await slots.acquire(outer, moved), early: null };
  const stop = new AbortController();
  const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
  try {
    const acquired = slots.acquire(signal, moved);
    // A build with a slot does not wait for the scan.
    const early = await Promise.race([acquired.then(() => null), look(signal)]);
    if (early?.kind !== 'refused') return { release: await acquired, early };
    // The slot may still arrive: give it back.
    acquired.then(
      (release) => release(),
      () => {},
    );
    return { release() {}, early };
  } finally {
    stop.abort();
  }
}

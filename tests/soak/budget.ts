/**
 * How much a harness does and how long it may take. WISHBENCH_SOAK_MINUTES bounds each of them (60 when absent), and
 * WISHBENCH_SOAK_SHARE, from 0 to 1, makes all of them smaller.
 */
const minutes = Number(process.env['WISHBENCH_SOAK_MINUTES'] ?? 60);
const share = Number(process.env['WISHBENCH_SOAK_SHARE'] ?? 1);

/** This share of the full number, at least one. */
export const portion = (full: number): number => Math.max(1, Math.round(full * share));

/** The moment, by performance.now, at which a harness that begins now has to end. */
export const deadline = (): number => performance.now() + minutes * 60_000;

/** Prints the figures of a harness as one line of JSON. */
export function printFigures(harness: string, figures: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify({ harness, ...figures })}\n`);
}

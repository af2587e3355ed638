import { SCRIPT_LIMITS, type ScriptOutcome } from '../../contract/jobs/scripts.ts';
import { describeFailure } from '../../scripts/junit.ts';
import { runScript } from '../../scripts/run-script.ts';
import { linkBus } from './link-bus.ts';
import type { JobContext } from './steps.ts';

/** Failures that the log lists; the report has all of them. */
const LOGGED = 20;

/**
 * Runs the design's stored script on the freshly programmed board. It runs before the session begins, so no other
 * access comes between, and the job carries the outcome. A failing script does not fail the build. Null where the
 * design has no script.
 */
export async function runDesignScript(context: JobContext): Promise<ScriptOutcome | null> {
  const { stored, board, files, clock, signal, log, progress } = context;
  const { job_id: jobId, fpga_id: fpgaId } = stored.job;
  const script = await context.keptScript();
  if (!script) return null;
  progress('script', 0);
  const report = await runScript(script, linkBus(board, signal), {
    clock,
    signal,
    maxMs: SCRIPT_LIMITS.buildMs,
    progress: (fraction) => progress('script', fraction),
  });
  // The board is gone or the service stops: the build reports that.
  signal.throwIfAborted();
  const { passed, failed, skipped, ms, stopped } = report;
  const failures = report.steps.filter(({ ok }) => ok === false);
  for (const step of failures.slice(0, LOGGED))
    log(
      'script',
      `step ${step.step.map((index) => index + 1).join('.')} failed: ${step.says}: ${describeFailure(step)}`,
    );
  if (stopped) log('script', `the script was stopped: ${stopped.message}`);
  log('script', `${passed} steps passed, ${failed} failed, ${skipped} not reached, in ${ms.toFixed(1)} ms`);
  // The job's record has the outcome; without this file only the steps are missing.
  await files.write(fpgaId, jobId, 'script.json', Buffer.from(JSON.stringify(report))).catch(() => {});
  return { passed, failed, skipped, ms };
}

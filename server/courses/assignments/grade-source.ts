import type { Board } from '../../boards/board.ts';
import type { Clock } from '../../clock.ts';
import type { CheckStep, Grade } from '../../contract/courses/assignments.ts';
import type { SubmitOptions } from '../../contract/jobs/jobs.ts';
import type { ScriptReport } from '../../contract/jobs/scripts.ts';
import { sentences } from '../../contract/sentences.ts';
import { lutsOf } from '../../designs/version.ts';
import { coursesError } from '../../errors/courses.ts';
import { jobsError } from '../../errors/jobs.ts';
import { failureOf } from '../../jobs/execution/end.ts';
import { linkBus } from '../../jobs/execution/link-bus.ts';
import { SYSTEM } from '../../jobs/pool.ts';
import { NodeBoard } from '../../nodes/node-board.ts';
import type { Bus } from '../../scripts/bus.ts';
import { describeFailure } from '../../scripts/junit.ts';
import { runScript } from '../../scripts/run-script.ts';
import type { Toolchain } from '../../toolchain/toolchain.ts';
import type { StoredGrade, StoredHandIn } from './records.ts';
import { pointsOf } from './views.ts';

/** Time of all steps of a check together, ms. */
const CHECK_MS = 60_000;
const MAX_MESSAGE_LENGTH = 500;

type GradedStep = Grade['steps'][number];

export interface GradingParts {
  toolchain: Pick<Toolchain, 'build'>;
  /** Makes the board on which one hand-in is checked; it is in no slot, so grading takes no node. */
  createBoard(): Promise<Board>;
  clock: Clock;
}

/**
 * Builds a handed-in source, and runs a check on a virtual board of its own. The build comes after those of people, where
 * the toolchain has priorities, or from the cache. A source that cannot be built gives a grade with the error.
 * @param source null where its file is damaged
 * @throws the signal's reason.
 */
export async function gradeSource(
  { filename, options }: Pick<StoredHandIn, 'filename' | 'options'>,
  source: Uint8Array | null,
  check: readonly CheckStep[],
  { toolchain, createBoard, clock }: GradingParts,
  signal: AbortSignal,
): Promise<StoredGrade> {
  const gradeOf = (grade: Partial<StoredGrade>): StoredGrade => ({
    ...{ points: 0, of: pointsOf(check), steps: [], luts: null, fmax: null, error: null },
    ...grade,
    graded_at: new Date(clock.now()).toISOString(),
  });
  try {
    if (source === null) throw jobsError('no_source', { message: 'The handed-in source is damaged.' });
    const board = await createBoard();
    const nodeBoard = new NodeBoard({ board: () => board }, 0, clock);
    try {
      const graded: SubmitOptions = { ...optionsForGrading(options), priority: 'batch' };
      const built = await toolchain.build(
        { source, filename, board: board.definition, options: graded, owner: SYSTEM.owner },
        { started: async () => {}, log() {}, progress() {}, signal },
      );
      board.expectDesign?.();
      await nodeBoard.program(built.bitstream, { log() {}, progress() {}, signal });
      await nodeBoard.identify(built.buildId, signal);
      const steps = await runCheck(check, (ending) => linkBus(nodeBoard, ending), clock, signal);
      const { timing } = built.report;
      return gradeOf({ points: pointsOf(steps), steps, luts: lutsOf(built.report), fmax: timing.fmax_mhz });
    } finally {
      await nodeBoard.drop().finally(() => board.close());
    }
  } catch (error) {
    signal.throwIfAborted();
    const { error: code, message, remedy } = failureOf(error);
    return gradeOf({ error: { code, message: sentences(message, remedy).slice(0, MAX_MESSAGE_LENGTH) } });
  }
}

/**
 * The options without probes, which add logic that is not the student's, and without pins of the board that the student
 * used, which the virtual board may not have.
 */
export function optionsForGrading({ probes: _, pins = {}, ...options }: SubmitOptions): SubmitOptions {
  const values = Object.entries(pins).filter(([, pin]) => typeof pin === 'number' || /^0x/i.test(pin));
  return { ...options, ...(values.length > 0 && { pins: Object.fromEntries(values) }) };
}

/**
 * Runs the steps in order on one bus, within one deadline. A step gives all of its points or none.
 * @throws the signal's reason.
 */
export async function runCheck(
  check: readonly CheckStep[],
  busOf: (signal: AbortSignal) => Bus,
  clock: Clock,
  signal: AbortSignal,
): Promise<GradedStep[]> {
  const ending = new AbortController();
  const cancel = clock.after(CHECK_MS, () => ending.abort(coursesError('check_deadline')));
  const both = AbortSignal.any([signal, ending.signal]);
  const bus = busOf(both);
  const steps: GradedStep[] = [];
  try {
    for (const { title, points, hidden = false, steps: transactions } of check) {
      const report = await runScript({ steps: transactions }, bus, { clock, signal: both });
      signal.throwIfAborted();
      const message = failureIn(report);
      const ok = message === null;
      steps.push({ title, hidden, points: ok ? points : 0, of: points, ok, message });
    }
  } finally {
    cancel();
  }
  return steps;
}

/** The first failure of a step; null where it passed. */
function failureIn({ steps, stopped, failed, skipped }: ScriptReport): string | null {
  if (failed + skipped === 0 && stopped === null) return null;
  const first = steps.find(({ ok }) => ok === false);
  const text = first ? `${first.says}: ${describeFailure(first)}` : (stopped?.message ?? 'It did not run.');
  return text.slice(0, MAX_MESSAGE_LENGTH);
}

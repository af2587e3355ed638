import { jobsError } from '../errors/jobs.ts';
import { transition } from '../nodes/machine.ts';
import { failureOf } from './failure.ts';
import type { JobContext, JobOutcome } from './job-context.ts';
import { BASE_BUILD_ID } from './node-board.ts';

/** Flashes the base SoC, so that nothing of the user's design is left, and asks the board whether it took. */
export async function reset(context: JobContext): Promise<JobOutcome> {
  if (!transition(context.node.state, 'reset_succeeded'))
    return { status: 'failed', failure: failureOf(jobsError('run_skipped'), context.logger) };
  try {
    context.board.checkPresent();
    const { board } = context.board;
    context.log('program', `flashing the base SoC to ${board.view.name} (${board.view.id})`);
    const bitstream = await context.toolchain.baseBitstream(board.definition);
    context.signal.throwIfAborted();
    await context.board.program(bitstream, {
      log: (line) => context.log('program', line),
      progress: (fraction) => context.progress('program', fraction),
      signal: context.signal,
    });
    context.progress('identify', 0);
    const identity = await context.board.identify(BASE_BUILD_ID, context.signal);
    context.log('identify', `the board runs the base SoC at ${identity.clockHz / 1e6} MHz`);
    await context.board.drop();
    return { status: 'complete', event: 'reset_succeeded', ok: true };
  } catch (error) {
    return { status: 'failed', event: 'reset_failed', failure: failureOf(error, context.logger) };
  }
}

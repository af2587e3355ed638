import { BASE_BUILD_ID } from '../../nodes/node-board.ts';
import type { JobContext, Outcome } from './steps.ts';

/** Flashes the base SoC, which removes the user's design, and has the board confirm it. */
export async function reset(context: JobContext): Promise<Outcome> {
  const { board, toolchain, log, progress, signal } = context;
  await context.begin('program');
  board.checkPresent();
  const { view, definition } = board.board;
  log('program', `flashing the base SoC to ${view.name} (${view.id})`);
  const bitstream = await toolchain.baseBitstream(definition);
  signal.throwIfAborted();
  await board.program(bitstream, {
    log: (line) => log('program', line),
    progress: (fraction) => progress('program', fraction),
    signal,
  });
  progress('identify', 0);
  const identity = await board.identify(BASE_BUILD_ID, signal);
  log('identify', `the board runs the base SoC at ${identity.clockHz / 1e6} MHz`);
  await board.drop();
  return { event: 'reset_succeeded', ok: true };
}

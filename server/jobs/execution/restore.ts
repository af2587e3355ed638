import type { Failure } from '../../contract/diagnostics.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { NodeBoard } from '../../nodes/node-board.ts';
import type { StoredNode } from '../../store/index.ts';
import type { Services } from '../services.ts';
import { failureOf } from './end.ts';

/** Code of the error with which a reset ends a restore. */
export const RESET_COMES_FIRST = 'session_ended';

/**
 * Makes sure that the board of a reserved node runs the session's design. Resolves with null, or with the failure. The
 * log of the job that built the design gets the outcome.
 * @param options.need `program` after a restart of the service, `identify` when the board was away
 */
export async function restoreBoard(options: {
  need: 'program' | 'identify';
  services: Services;
  node: StoredNode;
  board: NodeBoard;
  signal: AbortSignal;
}): Promise<Failure | null> {
  const { need, services, node, board, signal } = options;
  const { logs, logger, store } = services;
  const { design, fpga_id: fpgaId } = node;
  if (!design) return failureOf(jobsError('job_data_missing'));
  const log = await logs.reopen(fpgaId, design.job_id);
  log.start();
  try {
    board.checkPresent();
    const { definition, name } = board.view;
    if (definition !== design.board)
      throw jobsError('identity_mismatch', {
        message: `The design was built for ${design.board}, but ${name} is in the node’s slot now.`,
      });
    if (need === 'program') {
      log.line('program', 'the service was restarted: programming the board with the session’s design');
      const bitstream = await store.jobFiles.readBitstream(design.build_id);
      if (!bitstream) throw jobsError('job_data_missing', { message: 'The session’s bitstream is missing.' });
      await board.program(bitstream, {
        log: (line) => log.line('program', line),
        progress: () => {},
        signal,
      });
    } else log.line('identify', 'the board is back: asking which build it runs');
    const identity = await board.identify(design.build_id, signal);
    log.line('identify', `the board runs build ${identity.buildId}: the session continues`);
    logger.info({ fpga_id: fpgaId, what: need }, 'The board of a session is in use again.');
    return null;
  } catch (error) {
    const failure = failureOf(signal.aborted ? signal.reason : error);
    if (failure.error === RESET_COMES_FIRST) log.line(need, 'stopped: the node is being reset');
    else {
      log.lastLine(need, `error: ${failure.message}`);
      logger.warn({ err: error, fpga_id: fpgaId, what: need }, 'The board of a session is lost.');
    }
    return failure;
  } finally {
    await logs.close(design.job_id);
  }
}

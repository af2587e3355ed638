import type { BoardView } from '../../contract/boards/boards.ts';
import type { NodeView } from '../../contract/nodes/nodes.ts';
import type { JobIndex } from '../job-index.ts';
import { isResetting, replacements, type State } from './state.ts';

/** A node as the contract shows it. */
export function nodeView(current: State, jobs: JobIndex, board: BoardView): NodeView {
  const { fpga_id, state, session, error, design } = current.node;
  // A replacement without the board is not the node's current job.
  const active = current.jobs.find(({ job }) => !job.replaces || state === 'programming');
  return {
    fpga_id,
    state,
    session,
    error,
    design: design && {
      filename: design.filename,
      build_id: design.build_id,
      module: design.module,
      design_id: design.design_id ?? null,
    },
    current_job_id: active?.job.job_id ?? null,
    resetting: isResetting(current),
    board,
    last_job_id: jobs.last(fpga_id),
    last_build: jobs.lastBuild(fpga_id),
    // Visible requests never include the holder's own.
    control_requests: session
      ? current.memory.controlRequests.filter(({ owner }) => owner !== session.owner)
      : [],
    replacement: replacements(current).at(-1)?.job.job_id ?? null,
  };
}

import Type, { type Static } from 'typebox';
import { BoardView, FpgaId } from '../boards/boards.ts';
import { component, enumOf, nullable, Timestamp, Uuid } from '../component.ts';
import { Failure } from '../diagnostics.ts';
import { ControlRequest } from './control.ts';

export const FPGA_STATES = ['idle', 'queued', 'building', 'programming', 'reserved', 'error'] as const;
export const FpgaState = component(
  'FPGAState',
  enumOf(FPGA_STATES, { description: 'State of a node; see the state table of the specification.' }),
);
export type FpgaState = Static<typeof FpgaState>;

export const Session = component(
  'SessionResponse',
  Type.Object({
    session_id: Uuid(
      'Identifies the session; under enforcement only its holder sees it, others see the nil UUID.',
    ),
    fpga_id: FpgaId,
    owner: Type.String({ description: 'The caller identity recorded from X-API-Key.' }),
    expires_at: Timestamp('When the session expires; every accepted run renews it.'),
  }),
);
export type Session = Static<typeof Session>;

const summary = {
  fpga_id: FpgaId,
  state: FpgaState,
  session: nullable(Session),
  current_job_id: nullable(Uuid('The running job, else the oldest queued one.')),
};

/** A node with the fields of the specification, and its owner. */
export const FpgaSummary = component(
  'FPGASummary',
  Type.Object({
    ...summary,
    owner: nullable(
      Type.String({
        description: 'The holder of the node, or the owner of the build for it; null while it is idle.',
      }),
    ),
  }),
);
export type FpgaSummary = Static<typeof FpgaSummary>;

/** A summary of a node's last build, however many other jobs came later. */
export const LastBuild = component(
  'LastBuild',
  Type.Object({
    job_id: Uuid('The job.'),
    status: enumOf(['complete', 'failed', 'cancelled']),
    owner: Type.String({ description: 'Its owner.' }),
    file: Type.String({ description: 'The file that was submitted.' }),
    at: Timestamp('When it ended.'),
    fmax: nullable(Type.Number({ description: 'MHz; null if place and route did not get that far.' })),
    luts: nullable(Type.Integer({ description: 'Logic cells or LUTs that it uses.' })),
    luts_available: nullable(Type.Integer({ description: 'The number available.' })),
    timing_met: nullable(
      Type.Boolean({ description: 'Whether it meets the timing target; null if unknown.' }),
    ),
    failure: nullable(Failure),
  }),
);
export type LastBuild = Static<typeof LastBuild>;

/** A node with additional fields for the GUI. */
export const NodeView = component(
  'NodeDetails',
  Type.Object({
    ...summary,
    error: nullable(Failure),
    resetting: Type.Boolean({ description: 'A reset or release is queued or running.' }),
    board: BoardView,
    design: nullable(
      Type.Object(
        {
          filename: Type.String(),
          build_id: Type.String(),
          module: Type.String(),
          design_id: nullable(
            Type.String({ description: 'See /designs/{design_id}; null for a design of earlier versions.' }),
          ),
        },
        { description: 'The design on the board while reserved.' },
      ),
    ),
    last_job_id: nullable(Uuid('The last ended job.')),
    last_build: nullable(LastBuild),
    control_requests: Type.Array(ControlRequest, {
      description: 'Control requests, oldest first; see POST /fpga/{fpga_id}/control.',
    }),
    replacement: nullable(
      Uuid('The job whose design will replace the one on the board. It builds while the session continues.'),
    ),
  }),
);
export type NodeView = Static<typeof NodeView>;

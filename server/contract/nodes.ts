import Type, { type Static } from 'typebox';
import { BoardView, FpgaId } from './boards.ts';
import { component, enumOf, nullable, Timestamp, Uuid } from './component.ts';
import { Failure } from './diagnostics.ts';

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

/** A node with exactly the fields of the specification. */
export const FpgaSummary = component('FPGASummary', Type.Object({ ...summary }));
export type FpgaSummary = Static<typeof FpgaSummary>;

/** A node with what the GUI shows besides. */
export const NodeView = component(
  'NodeDetails',
  Type.Object({
    ...summary,
    error: nullable(Failure),
    resetting: Type.Boolean({ description: 'A reset or release is queued or running.' }),
    board: BoardView,
    design: nullable(
      Type.Object(
        { filename: Type.String(), build_id: Type.String(), module: Type.String() },
        { description: 'The design on the board while reserved.' },
      ),
    ),
    last_job_id: nullable(Uuid('The last ended job.')),
  }),
);
export type NodeView = Static<typeof NodeView>;

import Type, { type Static } from 'typebox';
import { component, enumOf, nullable, Timestamp, Uuid } from '../component.ts';
import { Failure } from '../diagnostics.ts';
import { BoardEntry, FpgaId } from './boards.ts';

/** The steps of a board check, in order; `line_rate` appears once for each rate that the board supports. */
export const CHECK_STEPS = [
  'reset',
  'seen',
  'built',
  'opened',
  'programmed',
  'cdone',
  'identity',
  'memory',
  'write',
  'read',
  'line_rate',
  'released',
] as const;

const CHECK_STEP_STATES = ['waiting', 'running', 'passed', 'warning', 'failed', 'skipped'] as const;

/** One step of a board check: its expected and its actual result. */
export const CheckStep = component(
  'CheckStep',
  Type.Object({
    step: enumOf(CHECK_STEPS, { description: 'Which step; `line_rate` comes once a rate, with its `baud`.' }),
    baud: Type.Optional(Type.Integer({ description: 'Measured line rate, bits a second.' })),
    title: Type.String(),
    expected: Type.String({ description: 'What should happen.' }),
    state: enumOf(CHECK_STEP_STATES, {
      description: '`warning`: a fault, but the board can be used; `skipped`: not run, or nothing to check.',
    }),
    happened: nullable(Type.String({ description: 'What happened; null until it is known.' })),
    failure: nullable(Failure),
    milliseconds: nullable(Type.Number({ description: 'Its duration, if it has its own.' })),
    figures: Type.Record(Type.String(), Type.Number(), {
      description: 'The measurements, e.g. `words`, `words_per_second`, `errors`.',
    }),
  }),
);
export type CheckStep = Static<typeof CheckStep>;
export type CheckStepName = CheckStep['step'];

const DriverFact = Type.Object({ name: Type.String(), value: Type.String() });
export type DriverFact = Static<typeof DriverFact>;

/** A check of the board in a slot, running or ended: the contents of its report. */
export const BoardCheck = component(
  'BoardCheck',
  Type.Object({
    check_id: Uuid('This check.'),
    fpga_id: FpgaId,
    state: enumOf(['running', 'passed', 'failed', 'cancelled']),
    cancelling: Type.Boolean({ description: 'It was cancelled and is releasing the node.' }),
    started_at: Timestamp('When it began.'),
    ended_at: nullable(Timestamp('When it ended.')),
    board: BoardEntry,
    part: Type.String({ description: 'The FPGA as the tools name it, e.g. `hx8k-ct256`.' }),
    programmer: Type.String({ description: 'What programs it: `ice40-mpsse`, `openfpgaloader`, `virtual`.' }),
    identity: nullable(
      Type.Object(
        { build_id: Type.String(), gateware_version: Type.Integer(), clock_hz: Type.Integer() },
        { description: 'The identity that the board reports; null before its first answer.' },
      ),
    ),
    versions: Type.Record(Type.String(), Type.String(), {
      description: 'Of Wishbench, of what runs it and of the tools that built the design.',
    }),
    system: Type.Object({ platform: Type.String(), release: Type.String(), arch: Type.String() }),
    drivers: Type.Array(DriverFact, { description: 'The system’s drivers of the board’s USB interfaces.' }),
    steps: Type.Array(CheckStep),
    log: Type.Array(Type.String(), { description: 'The last lines of the build job’s log.' }),
  }),
);
export type BoardCheck = Static<typeof BoardCheck>;

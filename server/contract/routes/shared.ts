import Type from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { enumOf } from '../component.ts';
import { DesignId } from '../designs/designs.ts';
import { JOB_STATUSES } from '../jobs/jobs.ts';

/** Longest time that a request waits for a change of a job, seconds. */
export const MAX_WAIT = 60;

/** Parameters of a route below `/fpga/{fpga_id}`. */
export const NodeParams = Type.Object({ fpga_id: FpgaId });

/** Parameters of a route below `/designs/{design_id}`. */
const DesignParams = Type.Object({ design_id: DesignId });
/** The common part of these routes. */
export const design = { tag: 'designs', access: 'key', params: DesignParams } as const;

/** Filters for a list of jobs. */
export const ListQuery = Type.Object({
  status: Type.Optional(
    Type.Array(enumOf(JOB_STATUSES), {
      maxItems: 20,
      description: 'Only jobs of these statuses: given once, several times, or with commas.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Maximum number.' }),
  ),
});

/** Errors of a design that is refused before anything is stored. */
export const DESIGN_ERRORS = [
  'tool_missing',
  'vhdl_unconfined',
  'project_archive',
  'project_path',
  'project_too_large',
  'project_sources',
] as const;

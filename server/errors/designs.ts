import { defineErrors } from './bench-error.ts';

/** Errors of stored designs and their scripts. */
export const designsError = defineErrors({
  design_not_found: {
    status: 404,
    message: 'There is no design with that id.',
    remedy: 'GET /designs?owner=* lists them; a design is known from its first submit on.',
  },
  version_not_found: {
    status: 404,
    message: 'This design has no such version, or its source was removed.',
    remedy: 'GET /designs/{design_id} lists the versions; only the newest of each design are kept.',
  },
  no_script: {
    status: 404,
    message: 'There is no script.',
    remedy: 'Store one with PUT /designs/{design_id}/script, or send one with the run.',
  },
  no_register_map: {
    status: 404,
    message: 'This design has no register map.',
    remedy: 'Store one with PUT /designs/{design_id}/map.',
  },
  captures_full: {
    status: 409,
    message: 'This design has 20 captures already.',
    remedy: 'Remove one first (DELETE /designs/{design_id}/captures/{capture_id}).',
  },
  saved_capture_not_found: {
    status: 404,
    message: 'This design has no such capture, or its samples cannot be read.',
    remedy: 'GET /designs/{design_id}/captures lists them.',
  },
  capture_of_other_design: {
    status: 409,
    message: 'The capture is of another design.',
    remedy: 'Keep it with the design that was recorded.',
  },
});

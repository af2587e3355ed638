import { defineErrors } from './bench-error.ts';

/** Errors of stored designs and their scripts. */
export const designsError = defineErrors({
  design_not_found: {
    status: 404,
    message: 'There is no design of that id.',
    remedy: 'GET /designs?owner=* lists them; a design is known from its first submit on.',
  },
  version_not_found: {
    status: 404,
    message: 'This design has no such version, or its source is not kept any more.',
    remedy: 'GET /designs/{design_id} lists the versions; only the newest of each design are kept.',
  },
  no_script: {
    status: 404,
    message: 'There is no script.',
    remedy: 'Keep one with PUT /designs/{design_id}/script, or send one with the run.',
  },
  no_register_map: {
    status: 404,
    message: 'No register map is kept with this design.',
    remedy: 'Keep one with PUT /designs/{design_id}/map.',
  },
  no_panel: {
    status: 404,
    message: 'Nothing is kept of how the ports of this design are drawn.',
    remedy: 'Keep it with PUT /designs/{design_id}/panel; what is not kept is guessed.',
  },
  no_waves: {
    status: 404,
    message: 'Nothing is kept of which signals of this design are watched.',
    remedy: 'Keep it with PUT /designs/{design_id}/waves.',
  },
});

import { defineErrors } from './bench-error.ts';

/** Finding, assigning, programming and talking to boards; `fabric_*` are the virtual board's refusals. */
export const boardsError = defineErrors({
  board_unknown: {
    status: 404,
    message: 'No attached board has that id.',
    remedy: 'List the boards (GET /boards) and use one of the ids shown, or plug the board in first.',
  },
  board_ambiguous: {
    status: 409,
    message: 'More than one board of the catalogue has these USB ids.',
    remedy: 'Say which board it is with the field "definition".',
  },
  board_unsupported: {
    status: 422,
    message: 'The attached device is not that board.',
    remedy: 'Choose one of the candidates that the board list shows for this device.',
  },
  board_slot_busy: {
    status: 409,
    message: 'The node is in use, so its board cannot be changed.',
    remedy: 'Release the node or wait until its jobs have ended, then assign the board.',
  },
});

import { defineErrors } from './bench-error.ts';

/** Errors of signals, captures and the clock of the running design. */
export const signalsError = defineErrors({
  inside_unsupported: {
    status: 409,
    message: 'The board of this node gives no access to its signals.',
    remedy: 'Submit the design to a node with a virtual board: every signal can be watched there.',
  },
  no_probes: {
    status: 409,
    message: 'The running design was built without a capture core.',
    remedy:
      'Submit it again and name the signals in the form field probes (wishbench submit --probe NAME), or mark them in the source with (* mark_debug *).',
  },
  signal_not_probed: {
    status: 422,
    message: 'The signal is not among the probes of this build.',
    remedy: 'Record probed signals, or submit the design again with other probes.',
  },
  capture_beyond_core: {
    status: 422,
    message: 'The capture core of this build cannot do that.',
    remedy: 'Ask for fewer samples, or submit the design with fewer probes, which leaves room for more.',
  },
  trigger_beyond_core: {
    status: 422,
    message: 'A capture core has no triggers of several steps.',
    remedy: 'Use a trigger of one condition, or record on a virtual board with `using` “inside”.',
  },
  no_symbols: {
    status: 404,
    message: 'The names of this design’s signals were removed.',
    remedy: 'Submit the design again: its build stores them.',
  },
  no_floorplan: {
    status: 404,
    message: 'This build has no stored floorplan.',
    remedy:
      'Submit the design again: on parts of the iCE40 family its build stores one, until it is the oldest in the cache.',
  },
  signal_unknown: {
    status: 422,
    message: 'The running design has no signal of that name: it does not exist, or was optimised away.',
    remedy: 'GET /fpga/{fpga_id}/symbols lists the names.',
  },
  signal_lost: {
    status: 422,
    message: 'The running design does not have that signal: it was optimised away.',
    remedy: 'Watch a register that it comes from, or mark it with (* keep *) in the source and submit that.',
  },
  capture_too_wide: {
    status: 422,
    message: 'A capture has at most 256 bits.',
    remedy: 'Leave signals out, or take parts of them: name[7:0].',
  },
  capture_trigger: {
    status: 422,
    message: 'The trigger does not fit its signal.',
    remedy: 'Use a value of the signal’s width, and edges of one bit: name[3].',
  },
  capture_running: {
    status: 409,
    message: 'A capture of this node is running.',
    remedy: 'Wait until it has ended, or cancel it (DELETE /fpga/{fpga_id}/captures/{capture_id}).',
  },
  capture_not_found: {
    status: 404,
    message: 'This node has no such capture.',
    remedy: 'Only the last ones of each node are kept; GET /fpga/{fpga_id}/captures lists them.',
  },
  capture_not_ended: {
    status: 409,
    message: 'The capture has not ended.',
    remedy: 'Poll it until its state is not running, or cancel it.',
  },
  no_samples: {
    status: 404,
    message: 'The capture has no samples.',
    remedy: 'It was cancelled, or the design ended before the first sample: start another one.',
  },
  capture_timed_out: {
    status: 408,
    message: 'The trigger did not come in time.',
    remedy:
      'The capture has the last samples before its end. Check that the trigger can occur, or wait longer.',
  },
  capture_ended: {
    status: 409,
    message: 'The recorded design is no longer on the board.',
    remedy: 'Start another capture when a design runs.',
  },
  board_paused: {
    status: 409,
    message: 'The clock of the board is paused, so the design does not answer.',
    remedy: 'Continue it (POST /fpga/{fpga_id}/clock with "run"), then send the request again.',
  },
  board_not_paused: {
    status: 409,
    message: 'The clock of the board is running.',
    remedy: 'Pause it first (POST /fpga/{fpga_id}/clock with "pause").',
  },
});

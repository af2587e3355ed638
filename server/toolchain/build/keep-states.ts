/**
 * Yosys commands for a flat design that keep the registers and codes of state machines, so that a state can be watched by
 * name. Otherwise Yosys replaces them. Registers with an fsm_encoding attribute stay as their source wants.
 */
export const KEEP_STATES: readonly string[] = [
  'select -set registers t:$*dff %co1:+[Q] w:* %i a:fsm_encoding %d',
  'setattr -set fsm_encoding "none" @registers',
];

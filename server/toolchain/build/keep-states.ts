/**
 * Commands of Yosys for a flat design, after which state machines keep the registers and the codes that their sources give them, so that
 * a state can be watched by its name: Yosys would put registers of its own in their place. What a source asks for with an attribute is done.
 */
export const KEEP_STATES: readonly string[] = [
  'select -set registers t:$*dff %co1:+[Q] w:* %i a:fsm_encoding %d',
  'setattr -set fsm_encoding "none" @registers',
];

import { DESIGN } from '../../../symbols/netlist-file.ts';
import { INVERTERS } from '../family.ts';

/** Follows connections between nets, and no cell: no cell has this type. */
const SAME_NET = '%x*:+$none';

/** Inverters that drive a net of the design, under any of its names. */
const OF_DESIGN = `t:$_NOT_ %co1:+[Y] ${SAME_NET} w:${DESIGN.join('.')}.* %i ${SAME_NET} %ci1:+[Y] t:$_NOT_ %i`;

/**
 * Yosys commands between flip-flops and look-up tables, which write INVERTERS. Mapping merges an inverter into the cells after
 * it, and its net disappears. Flip-flops of iCE40 start at 0: a register with initial value 1 is stored inverted, before such
 * an inverter. Its unnamed net gets a public name here, which it has after routing too. No other name changes, and so
 * placement of other designs stays as it is.
 */
export const recordInverters = (): string[] => [
  `select -set inverted ${OF_DESIGN} %ci1:+[A] w:$* %i t:SB_DFF* %co1:+[Q] %i`,
  'rename -wire -suffix _SB_INV @inverted %co1:+[A] t:$_NOT_ %i',
  'autoname @inverted %co1:+[A] t:$_NOT_ %i @inverted',
  `select -set inverters ${OF_DESIGN}`,
  `json -o ${INVERTERS} @inverters @inverters %x1 ${SAME_NET}`,
];

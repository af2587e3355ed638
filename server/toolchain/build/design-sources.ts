import { RAM_ATTRIBUTES } from '../families/ram-hints.ts';
import { readCommands } from '../frontends/yosys-form.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { GATEWARE_TOP } from './gateware.ts';
import { SIGNED_ARITHMETIC, SIGNED_ARITHMETIC_FILES } from './signed-arithmetic.ts';
import type { SynthesisSources } from './synthesis.ts';

/**
 * Flattens a slave early when the design has interfaces. Until then Yosys assumes that a module drives all signals of an
 * interface port. Another driver would count as a second one, and Yosys would take a constant instead.
 */
const joinInterfaces = ({ files, units }: PreparedDesign, slave: string, top: string): string[] =>
  units.some((path) => /\binterface\b/.test(String(files[path])))
    ? [`hierarchy -top ${top}`, 'proc -noopt', `flatten ${slave}`]
    : [];

/** Merges tristate drivers and removes unread cells, before Yosys looks for signals with several drivers. */
const SETTLE = ['tribuf -logic', 'opt_clean'];

/**
 * Turns memories of at most four words into registers, unless an attribute asks for RAM. slang makes a memory of every
 * array, and Yosys finds equal and constant registers only when they are registers from the start.
 */
const FEW_WORDS = [
  'memory_collect',
  `memory_map t:$mem_v2 r:SIZE<=4 %i ${RAM_ATTRIBUTES.map((name) => `a:${name} %d`).join(' ')}`,
];

/**
 * Yosys commands for a flat design that keep the registers and codes of state machines, so that a state can be watched by
 * name. Otherwise Yosys replaces them. Registers with an fsm_encoding attribute stay as their source wants.
 */
const KEEP_STATES: readonly string[] = [
  'select -set registers t:$*dff %co1:+[Q] w:* %i a:fsm_encoding %d',
  'setattr -set fsm_encoding "none" @registers',
];

/**
 * Inputs of synthesis for a design: its files, the commands that read them, and those for the flat design.
 * @param top the module above the slave, or the slave itself
 */
export const designSources = (
  source: PreparedDesign,
  slave: string,
  top = GATEWARE_TOP,
): Pick<SynthesisSources, 'files' | 'read'> & { whenFlat: readonly string[] } => ({
  files: { ...source.files, ...SIGNED_ARITHMETIC_FILES },
  read: [...readCommands(source), ...joinInterfaces(source, slave, top)],
  whenFlat: [...SETTLE, ...FEW_WORDS, ...SIGNED_ARITHMETIC, ...KEEP_STATES],
});

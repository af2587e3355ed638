import { RAM_ATTRIBUTES } from '../families/ram-hints.ts';
import { readCommands } from '../frontends/yosys-form.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { GATEWARE_TOP } from './gateware.ts';
import { KEEP_STATES } from './keep-states.ts';
import { SIGNED_ARITHMETIC, SIGNED_ARITHMETIC_FILES } from './signed-arithmetic.ts';
import type { SynthesisSources } from './synthesis.ts';

/**
 * A module that has an interface as a port drives all of its signals, as far as Yosys can tell before the design is flat: what else
 * drives one of them would be a second driver, and a constant would be taken in its place.
 */
const joinInterfaces = ({ files, units }: PreparedDesign, slave: string, top: string): string[] =>
  units.some((path) => /\binterface\b/.test(String(files[path])))
    ? [`hierarchy -top ${top}`, 'proc -noopt', `flatten ${slave}`]
    : [];

/** Drivers that let go of a signal become one, and what nobody reads goes, before Yosys looks for signals of several drivers. */
const SETTLE = ['tribuf -logic', 'opt_clean'];

/**
 * Memories of a few words become registers at once, unless they are to be RAM: slang takes every array for a memory, and registers that are equal or constant
 * are found where they are registers from the beginning.
 */
const FEW_WORDS = [
  'memory_collect',
  `memory_map t:$mem_v2 r:SIZE<=4 %i ${RAM_ATTRIBUTES.map((name) => `a:${name} %d`).join(' ')}`,
];

/**
 * What synthesis is given of a design: its files, how they are read, and what is done with it once it is flat.
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

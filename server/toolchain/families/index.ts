import type { BoardDefinition } from '../../boards/definition.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { ecp5 } from './ecp5.ts';
import type { Family } from './family.ts';
import { gowin } from './gowin.ts';
import { ice40 } from './ice40/ice40.ts';

/** All families of FPGAs, by name. */
export const FAMILIES: Map<string, Family> = new Map([ice40, ecp5, gowin].map((one) => [one.name, one]));

/** The family of a board's FPGA. @throws tool_missing for an unknown family */
export function familyOf({ name, fpga }: Pick<BoardDefinition, 'name' | 'fpga'>): Family {
  const family = FAMILIES.get(fpga.family);
  if (family) return family;
  throw toolchainError('tool_missing', {
    message: `${name} has an FPGA of the unknown family ${fpga.family}.`,
    remedy: `Correct the family in the board's file. Known families: ${[...FAMILIES.keys()].join(', ')}.`,
  });
}

import type { BoardDefinition } from '../../boards/definition.ts';
import { ecp5Flow } from './ecp5.ts';
import type { Flow } from './flow.ts';
import { gowinFlow } from './gowin.ts';
import { ice40Flow } from './ice40.ts';

/** The flow of each family of FPGAs. */
export const FLOWS: Readonly<Record<BoardDefinition['fpga']['family'], Flow>> = {
  ice40: ice40Flow,
  ecp5: ecp5Flow,
  gowin: gowinFlow,
};

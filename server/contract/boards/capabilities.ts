import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';

/** The uses of a board, in the order of a first hour with it. */
export const CAPABILITIES = [
  'build',
  'discover',
  'program-sram',
  'program-flash',
  'link',
  'hotplug',
] as const;

/**
 * Levels of proof, from the weakest to the strongest. `build`: the tools built for the board. `emulated`: the
 * production code ran against hardware emulated at the package `usb`. `kernel`: a real kernel and real programs used
 * the emulated hardware. `board`: a real board did it.
 */
export const PROOFS = ['build', 'emulated', 'kernel', 'board'] as const;

/** Systems of the desktop application, as Node names them. */
export const SYSTEMS = ['linux', 'win32', 'darwin'] as const;

/** One line of resources/capabilities/evidence.json: a test that passed, and what it proves. */
export const Evidence = Type.Object(
  {
    board: Type.String(),
    capability: enumOf(CAPABILITIES),
    proof: enumOf(PROOFS),
    system: enumOf(SYSTEMS),
    test: Type.String({ description: 'Its file and its name, or the file of a report.' }),
  },
  { additionalProperties: false },
);
export type Evidence = Static<typeof Evidence>;
export type Capability = Evidence['capability'];
export type Proof = Evidence['proof'];
export type SystemName = Evidence['system'];

/** The capabilities of one board on one system, each with its strongest proof. */
export const BoardCapabilities = Type.Object({
  board: Type.String({ description: 'Id in the catalogue of boards.' }),
  name: Type.String(),
  tested_on_hardware: Type.Boolean({ description: 'A user has reported that a real board works.' }),
  capabilities: Type.Array(enumOf(CAPABILITIES), {
    description: 'What this board supports: a board without SRAM mode is not proven in it.',
  }),
  proven: Type.Array(
    Type.Object({
      system: enumOf(SYSTEMS),
      capability: enumOf(CAPABILITIES),
      proof: enumOf(PROOFS, { description: 'The strongest of its proofs.' }),
      tests: Type.Integer({ description: 'Tests and reports that prove it.' }),
    }),
    { description: 'Anything not listed is not proven.' },
  ),
});
export type BoardCapabilities = Static<typeof BoardCapabilities>;

export const CapabilityReport = component(
  'CapabilityReport',
  Type.Object({ boards: Type.Array(BoardCapabilities) }),
);
export type CapabilityReport = Static<typeof CapabilityReport>;

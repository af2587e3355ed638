import Type, { type Static } from 'typebox';
import { nullable } from '../component.ts';

export const Utilisation = Type.Object({
  resource: Type.String({ description: 'E.g. `LUT`, `FF`, `BRAM`, `carry`, `IO`.' }),
  used: Type.Integer(),
  available: Type.Integer(),
  design: Type.Optional(
    Type.Integer({
      description:
        'Number of those used by the design; the bench uses the others. Absent if unknown, as in reports of earlier versions.',
    }),
  ),
});
export type Utilisation = Static<typeof Utilisation>;

/** Estimated figures of a build, known before it is placed. */
export const BuildEstimate = Type.Object(
  {
    fmax_mhz: nullable(
      Type.Number({
        description:
          'Computed with the average wire delay of the part; null if no path leads from register to register, and for parts with unknown delays.',
      }),
    ),
    target_mhz: Type.Number(),
    utilisation: Type.Array(Utilisation),
  },
  {
    description:
      'An estimate of the build, made after synthesis. The report replaces it when the build succeeds; a build that fails later keeps it.',
  },
);
export type BuildEstimate = Static<typeof BuildEstimate>;

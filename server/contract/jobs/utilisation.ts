import Type, { type Static } from 'typebox';
import { nullable } from '../component.ts';

export const Utilisation = Type.Object({
  resource: Type.String({ description: 'E.g. `LUT`, `FF`, `BRAM`, `carry`, `IO`.' }),
  used: Type.Integer(),
  available: Type.Integer(),
  design: Type.Optional(
    Type.Integer({
      description:
        'How many of those that are used are the design’s; the others are the bench’s. Absent where it is not known, as in reports of earlier versions.',
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
          'With the delays that wires of the part have on average; null where no path goes from register to register, and for parts whose delays are not known.',
      }),
    ),
    target_mhz: Type.Number(),
    utilisation: Type.Array(Utilisation),
  },
  {
    description:
      'What the build will about come to, told when synthesis is through. Gone when it is built: the report has what it came to. A build that failed later keeps it.',
  },
);
export type BuildEstimate = Static<typeof BuildEstimate>;

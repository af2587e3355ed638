// What a page and the schema of scripts share. It has no schema, so that a page does not load one.

export const READ_PROPOSALS = ['expected', 'range', 'mask', 'ignored'] as const;
/** What a recorded read proposes for a word: its value, a range, its stable bits, or nothing. */
export type ReadProposal = (typeof READ_PROPOSALS)[number];

/** A word that a session read, as far as a proposal depends on it. */
interface SeenWord {
  value: number;
  min: number;
  max: number;
  stable: number;
  proposal: ReadProposal;
}

/** What a recorded step expects of a word, by the proposal. A range has half of what was seen on both sides as well. */
export function expectationOf(
  { value, min, max, stable, proposal }: SeenWord,
  kind: ReadProposal = proposal,
): number | { min: number; max: number } | { mask: number; value: number } | null {
  const room = Math.ceil((max - min) / 2);
  switch (kind) {
    case 'expected':
      return value;
    case 'range':
      return { min: Math.max(0, min - room), max: Math.min(0xffff_ffff, max + room) };
    case 'mask':
      return { mask: stable, value: (value & stable) >>> 0 };
    case 'ignored':
      return null;
  }
}

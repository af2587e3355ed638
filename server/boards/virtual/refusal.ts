import type { boardsError } from '../../errors/boards.ts';

type BoardsCode = keyof typeof boardsError.specs;
/** Codes of the error catalogue that a fabric answers with: why CDONE stayed low, or why it stopped. */
export type FabricCode = Extract<BoardsCode, `fabric_${string}`>;

/** A configuration that the fabric does not take, or a design that it cannot go on running. */
export class FabricRefusal extends Error {
  override readonly name = 'FabricRefusal';

  constructor(
    readonly code: FabricCode,
    message: string,
  ) {
    super(message);
  }
}

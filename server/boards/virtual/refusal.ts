import { boardsError } from '../../errors/boards.ts';

type BoardsCode = keyof typeof boardsError.specs;
/** Codes of the error catalogue that a fabric answers with: why CDONE stayed low, or why it stopped. */
type FabricCode = Extract<BoardsCode, `fabric_${string}`>;

/** Why CDONE stayed low, or why the design stopped afterwards. */
export interface Refusal {
  code: FabricCode;
  message: string;
}

export const isFabricCode = (code: unknown): code is FabricCode =>
  typeof code === 'string' && code.startsWith('fabric_') && Object.hasOwn(boardsError.specs, code);

/** A configuration that the fabric does not take, or a design that it cannot go on running. */
export class FabricRefusal extends Error {
  override readonly name = 'FabricRefusal';
  readonly code: FabricCode;

  constructor(code: FabricCode, message: string) {
    super(message);
    this.code = code;
  }
}

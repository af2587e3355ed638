import { boardsError } from '../../errors/boards.ts';

type BoardsCode = keyof typeof boardsError.specs;
/** Error codes of a fabric: why CDONE stayed low, or why the design stopped. */
type FabricCode = Extract<BoardsCode, `fabric_${string}`>;

/** Why CDONE stayed low, or why the design stopped later. */
export interface Refusal {
  code: FabricCode;
  message: string;
}

export const isFabricCode = (code: unknown): code is FabricCode =>
  typeof code === 'string' && code.startsWith('fabric_') && Object.hasOwn(boardsError.specs, code);

/** A configuration that the fabric rejects, or a design that it can't continue to run. */
export class FabricRefusal extends Error {
  override readonly name = 'FabricRefusal';
  readonly code: FabricCode;

  constructor(code: FabricCode, message: string) {
    super(message);
    this.code = code;
  }
}

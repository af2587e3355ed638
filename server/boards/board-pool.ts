import { boardsError } from '../errors/boards.ts';
import type { Logger } from '../log.ts';
import { type BoardView, NODE_COUNT } from '../nodes/model.ts';
import type { AssignmentStore } from './assignments.ts';
import type { AssignOptions, Board, BoardPool, DiscoveryProblem, KnownBoard } from './board.ts';
import { type Catalogue, VIRTUAL_BOARD } from './catalogue/index.ts';

export interface BoardPoolOptions {
  catalogue: Catalogue;
  assignments: AssignmentStore;
  logger: Logger;
  /** True while a slot's node is in use: its board is then not exchanged. */
  slotBusy?: (slot: number) => boolean;
}

/** Ten slots with a board in each: the assigned one, else a virtual board of the slot's own. */
export async function createBoardPool(options: BoardPoolOptions): Promise<BoardPool> {
  const { catalogue, logger } = options;
  const definition = catalogue.get(VIRTUAL_BOARD);
  if (!definition) throw new Error(`The catalogue has no ${VIRTUAL_BOARD}.`);
  const { createVirtualBoard } = await import('./virtual/virtual-board.ts');
  const slots: Board[] = Array.from({ length: NODE_COUNT }, (_, slot) =>
    createVirtualBoard(slot, definition, { logger }),
  );
  const listeners = new Set<(view: BoardView) => void>();
  const board = (slot: number) => slots[slot] as Board;

  const known = ({ view, definition }: Board): KnownBoard => ({
    id: view.id,
    kind: view.kind,
    name: view.name,
    definition: view.definition,
    candidates: [definition.id],
    slot: view.slot,
    present: view.present,
    ...(view.reason === undefined ? {} : { reason: view.reason }),
  });

  return {
    board,
    list: () => slots.map(known),
    problems: (): DiscoveryProblem[] => [],
    async assign(slot: number, boardId: string | null, _options?: AssignOptions) {
      if (options.slotBusy?.(slot)) throw boardsError('board_slot_busy');
      if (boardId !== null && boardId !== `virtual:${slot}`) throw boardsError('board_unknown');
      return board(slot).view;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onListChange: () => () => {},
    async close() {
      await Promise.all(slots.map((one) => one.close()));
    },
  };
}

import { type Clock, pause, systemClock } from '../clock.ts';
import type { BoardView } from '../contract/boards/boards.ts';
import { NODE_COUNT } from '../contract/boards/node-count.ts';
import { boardsError } from '../errors/boards.ts';
import type { Logger } from '../log.ts';
import type { Assignment, AssignmentStore, Assignments } from './assignments.ts';
import type { AssignOptions, Board, BoardPool } from './board.ts';
import { boardInSlot, boardWithoutSlot } from './board-list.ts';
import { type Catalogue, VIRTUAL_BOARD } from './catalogue/index.ts';
import type { BoardDefinition } from './definition.ts';
import type { AttachedBoard } from './discovery/attached.ts';
import { BoardDiscovery } from './discovery/discovery.ts';
import { nativeSerialPorts, type SerialPorts } from './discovery/serial-ports.ts';
import { type LineRateStore, transientLineRates } from './line-rates.ts';
import { type OpenFpgaLoader, openFpgaLoader } from './programmers/openfpgaloader.ts';
import { type Absence, UsbBoard } from './real/usb-board.ts';
import { chooseDefinition, findAssigned } from './slot-assignment.ts';
import { nativeUsbBus } from './usb/native-usb-bus.ts';
import type { UsbBus } from './usb/usb-bus.ts';

interface BoardPoolOptions {
  catalogue: Catalogue;
  /** The stored assignments. */
  assignments: AssignmentStore;
  /** The stored line rates of boards; without it every run measures them again. */
  lineRates?: LineRateStore;
  logger: Logger;
  clock?: Clock;
  /** True while a slot's node is in use: a present board is then not exchanged. */
  slotBusy?: (slot: number) => boolean;
  /** USB, serial ports and programmer of the computer; tests emulate them. */
  system?: { bus?: UsbBus; ports?: SerialPorts; loader?: OpenFpgaLoader };
  /** Makes the board of a slot without an assignment. */
  virtualBoard?: (slot: number, definition: BoardDefinition) => Board;
}

/** Longest wait of the start for the first USB scan when boards are assigned, ms. */
const FIRST_SCAN_DEADLINE = 3_000;

/** Creates ten slots with a board in each: the assigned one, else the slot's own virtual board. */
export async function createBoardPool(options: BoardPoolOptions): Promise<BoardPool> {
  const { logger, catalogue } = options;
  const clock = options.clock ?? systemClock;
  const virtualBoard = options.virtualBoard ?? (await realVirtualBoards(logger, clock));
  const bus = options.system?.bus ?? nativeUsbBus();
  const ports = options.system?.ports ?? nativeSerialPorts();
  const loader = options.system?.loader ?? openFpgaLoader({ clock });
  const discovery = new BoardDiscovery({ bus, ports, boards: catalogue.boards, clock, logger });
  const lineRates = options.lineRates ?? transientLineRates();
  const pool = new SlotPool({ ...options, lineRates, clock, bus, ports, loader, virtualBoard }, discovery);
  const started = discovery.start();
  // Slots with real boards are wrong before the first scan; without any, the start does not wait for the USB.
  if (Object.keys(options.assignments.value).length > 0)
    await Promise.race([started, pause(clock, FIRST_SCAN_DEADLINE)]);
  return pool;
}

async function realVirtualBoards(logger: Logger, clock: Clock) {
  const { createVirtualBoard } = await import('./virtual/virtual-board.ts');
  return (slot: number, definition: BoardDefinition): Board =>
    createVirtualBoard(slot, definition, { logger, clock });
}

type SlotPoolOptions = BoardPoolOptions &
  Required<Pick<BoardPoolOptions, 'clock' | 'virtualBoard' | 'lineRates'>> & {
    bus: UsbBus;
    ports: SerialPorts;
    loader: OpenFpgaLoader;
  };

class SlotPool implements BoardPool {
  readonly #options: SlotPoolOptions;
  readonly #discovery: BoardDiscovery;
  readonly #slots: Board[];
  readonly #listeners = new Set<(view: BoardView) => void>();
  /** Runs assignments one at a time. */
  #assigning: Promise<unknown> = Promise.resolve();

  constructor(options: SlotPoolOptions, discovery: BoardDiscovery) {
    this.#options = options;
    this.#discovery = discovery;
    this.#slots = Array.from({ length: NODE_COUNT }, (_, slot) => this.#makeBoard(slot));
    this.#followDiscovery();
    discovery.onChange(() => this.#followDiscovery());
  }

  board(slot: number): Board {
    const board = this.#slots[slot];
    if (!board) throw new RangeError(`There is no slot ${slot}.`);
    return board;
  }

  list() {
    const inSlots = new Set(this.#slots.map((board) => (board instanceof UsbBoard ? board.attached : null)));
    const free = this.#discovery.attached.filter((attached) => !inSlots.has(attached));
    return [...this.#slots.map(boardInSlot), ...free.map(boardWithoutSlot)];
  }

  problems() {
    return [...this.#discovery.problems];
  }

  onChange(listener: (view: BoardView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  assign(slot: number, boardId: string | null, options: AssignOptions = {}): Promise<BoardView> {
    const assigned = this.#assigning.then(() => this.#assign(slot, boardId, options));
    this.#assigning = assigned.catch(() => {});
    return assigned;
  }

  async #assign(slot: number, boardId: string | null, options: AssignOptions): Promise<BoardView> {
    const { assignments } = this.#options;
    this.board(slot);
    const next: Assignments = { ...assignments.value };
    if (boardId === null || boardId === `virtual:${slot}`) {
      delete next[slot];
    } else {
      const { from, assignment } = this.#assignmentFor(boardId, options);
      if (from !== undefined) delete next[from];
      next[slot] = assignment;
    }
    const changed = this.#slots.filter(
      (_, index) => JSON.stringify(next[index]) !== JSON.stringify(assignments.value[index]),
    );
    // A node without its board is stuck: allow another board.
    for (const board of changed)
      if (board.view.present && this.#options.slotBusy?.(board.view.slot))
        throw boardsError('board_slot_busy', {
          message: `Node ${board.view.slot} is in use, so its board cannot be changed.`,
        });
    await assignments.write(next);
    for (const old of changed) {
      const index = old.view.slot;
      this.#slots[index] = this.#makeBoard(index);
      await old.close();
    }
    this.#followDiscovery(changed.map((board) => board.view.slot));
    return this.board(slot).view;
  }

  /** The assignment for a board id, and the slot that has the board at present. */
  #assignmentFor(boardId: string, options: AssignOptions): { from?: number; assignment: Assignment } {
    const current = this.#slots.find((board) => board instanceof UsbBoard && board.view.id === boardId);
    const before = current instanceof UsbBoard ? current.assignment : undefined;
    const attached =
      (current instanceof UsbBoard ? current.attached : null) ??
      this.#discovery.attached.find((board) => board.id === boardId);
    const candidates = attached?.candidates ?? (current ? [current.definition] : null);
    if (!candidates) throw boardsError('board_unknown');
    const definition = chooseDefinition(candidates, options, before);
    const mode = options.mode ?? (before?.definition === definition.id ? before.mode : undefined);
    return {
      ...(current && { from: current.view.slot }),
      assignment: { board: boardId, definition: definition.id, ...(mode && { mode }) },
    };
  }

  #makeBoard(slot: number): Board {
    const { assignments, catalogue, virtualBoard, clock, logger, bus, ports, loader, lineRates } =
      this.#options;
    const assignment = assignments.value[slot];
    const definition = assignment && catalogue.get(assignment.definition);
    if (assignment && definition && definition.programmer.kind !== 'virtual')
      return new UsbBoard({
        slot,
        assignment,
        definition,
        programmer: definition.programmer,
        discovery: this.#discovery,
        bus,
        ports,
        loader,
        lineRates,
        clock,
        logger,
      });
    if (assignment)
      logger.warn({ slot, ...assignment }, 'the catalogue no longer has this USB board: the slot is virtual');
    const virtual = catalogue.get(VIRTUAL_BOARD);
    if (!virtual) throw new Error(`The catalogue has no ${VIRTUAL_BOARD}.`);
    return virtualBoard(slot, virtual);
  }

  /** Gives every slot's board its place from the newest scan, and reports changes to listeners. */
  #followDiscovery(reassigned: number[] = []): void {
    const { attached } = this.#discovery;
    const changed = new Set(reassigned);
    const free = new Set(attached);
    const settle = (board: UsbBoard, seen: AttachedBoard | null, absence: Absence | null) => {
      if (seen) free.delete(seen);
      if (board.update(seen, absence)) changed.add(board.view.slot);
    };
    const looking: UsbBoard[] = [];
    for (const board of this.#slots) {
      if (!(board instanceof UsbBoard)) continue;
      // A board that was not unplugged since is the same one, even when a twin has joined it.
      const same = attached.find((one) => one.device === board.attached?.device);
      if (same) settle(board, same, null);
      else looking.push(board);
    }
    // A serial number identifies better than a port: search by it first.
    looking.sort((a, b) => Number(b.view.id.startsWith('usb:')) - Number(a.view.id.startsWith('usb:')));
    for (const board of looking) {
      const found = findAssigned(board.assignment, [...free]);
      if (found.kind === 'attached') settle(board, found.board, null);
      else settle(board, null, found.absence);
    }
    for (const slot of changed) this.#announce(this.board(slot).view);
  }

  #announce(view: BoardView): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(view);
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener of the board pool failed');
      }
    }
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#discovery.close();
    await Promise.all(this.#slots.map((board) => board.close()));
  }
}

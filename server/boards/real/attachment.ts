import type { Clock } from '../../clock.ts';
import { boardsError } from '../../errors/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';

/**
 * Milliseconds from the appearance of a device or a port to the right to open it: udev sets it after the kernel has made
 * the file, and that takes a second on a computer that has much to do.
 */
const RIGHTS_DEADLINE = 2_000;

/** One plugging-in of a board: what it is while it lasts, and a signal that fires when it ends. */
export class Attachment {
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  #attached: AttachedBoard;
  #appeared: number;

  constructor(attached: AttachedBoard, clock: Clock) {
    this.#clock = clock;
    this.#attached = attached;
    this.#appeared = clock.monotonic();
  }

  /** As the newest scan saw it: its serial port may come, go and change its name. */
  get attached(): AttachedBoard {
    return this.#attached;
  }

  update(attached: AttachedBoard): void {
    const paths = (board: AttachedBoard) => board.ports.map((port) => port.path).join();
    if (paths(attached) !== paths(this.#attached)) this.appeared();
    this.#attached = attached;
  }

  /** Its ports are new: also when they have their old names, as after a driver was detached and attached. */
  appeared(): void {
    this.#appeared = this.#clock.monotonic();
  }

  /** What is denied now may be allowed in a moment. */
  get rightsMayCome(): boolean {
    return this.#clock.monotonic() - this.#appeared < RIGHTS_DEADLINE;
  }

  /** Aborted with board_vanished. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  end(): void {
    this.#gone.abort(boardsError('board_vanished'));
  }
}

import type { Clock } from '../../clock.ts';
import { boardsError } from '../../errors/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';

/**
 * How long after a device or port appears access may still be denied, ms. udev sets permissions after the kernel
 * creates the file, which takes a second on a busy computer.
 */
const RIGHTS_DEADLINE = 2_000;

/** One plugging-in of a board: its facts, and a signal that fires when it ends. */
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

  /** Its ports are new, even under their old names, e.g. after a driver was detached and attached. */
  appeared(): void {
    this.#appeared = this.#clock.monotonic();
  }

  /** Access that is denied at this moment may be granted soon. */
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

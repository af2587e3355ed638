import { boardsError } from '../../errors/boards.ts';
import type { AttachedBoard } from '../discovery/attached.ts';

/** One plugging-in of a board: what it is while it lasts, and a signal that fires when it ends. */
export class Attachment {
  /** As the newest scan saw it: its serial port may come, go and change its name. */
  attached: AttachedBoard;
  readonly #gone = new AbortController();

  constructor(attached: AttachedBoard) {
    this.attached = attached;
  }

  /** Aborted with board_vanished. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  end(): void {
    this.#gone.abort(boardsError('board_vanished'));
  }
}

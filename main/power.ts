import { powerSaveBlocker } from 'electron';

/** Keeps the computer awake while a board is being programmed, because sleep would interrupt it half-way. */
export class SleepBlock {
  #id: number | null = null;

  set(blocked: boolean): void {
    if (blocked === (this.#id !== null)) return;
    if (blocked) this.#id = powerSaveBlocker.start('prevent-app-suspension');
    else if (this.#id !== null) {
      powerSaveBlocker.stop(this.#id);
      this.#id = null;
    }
  }

  get active(): boolean {
    return this.#id !== null;
  }
}

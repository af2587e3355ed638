import { createStore } from 'zustand/vanilla';
import type { Client } from '../../../../server/contract/client/client.ts';
import { ServiceError } from '../../../../server/contract/client/failures.ts';
import type { LiveEvent } from '../../../../server/contract/events/events.ts';
import type { TerminalView } from '../../../../server/contract/nodes/terminal.ts';

/** Bytes of the line on display. */
const SHOWN = 16_384;
/** Maximum bytes per request. */
const AT_ONCE = 512;

type Line = Pick<TerminalView, 'input' | 'output' | 'baud' | 'text' | 'lost' | 'damaged'>;

/** The serial line of the design on one node; null if the design has none. */
export class TerminalFeed {
  readonly store = createStore<{ line: Line | null }>(() => ({ line: null }));
  readonly #service: Client;
  readonly #fpgaId: number;
  readonly #onRefused: (error: unknown) => void;
  /** The design's byte count at the newest event. */
  #heard = 0;
  #waiting = '';
  #sending = false;

  constructor(service: Client, fpgaId: number, onRefused: (error: unknown) => void) {
    this.#service = service;
    this.#fpgaId = fpgaId;
    this.#onRefused = onRefused;
  }

  /** Loads the line of the running design. */
  async load(): Promise<void> {
    try {
      this.#put(await this.#service.readTerminal({ fpga_id: this.#fpgaId }));
    } catch (error) {
      this.store.setState({ line: null });
      const expected =
        error instanceof ServiceError && ['no_terminal', 'fpga_not_reserved'].includes(error.code);
      if (!expected) this.#onRefused(error);
    }
  }

  take(events: readonly LiveEvent[]): void {
    for (const event of events) {
      const { line } = this.store.getState();
      if (event.type !== 'terminal' || event.fpga_id !== this.#fpgaId || line === null) continue;
      // This window missed some bytes: load them.
      if (event.at > this.#heard) void this.load();
      else this.#hear(line, event);
    }
  }

  /** Sends text in UTF-8, one request at a time; the next one has what was typed meanwhile. */
  send(text: string): void {
    this.#waiting += String.fromCharCode(...new TextEncoder().encode(text));
    void this.#flush();
  }

  async setBaud(baud: number): Promise<void> {
    await this.#ask({ baud });
  }

  async #flush(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (this.#waiting !== '') {
      const text = this.#waiting.slice(0, AT_ONCE);
      this.#waiting = this.#waiting.slice(AT_ONCE);
      if (!(await this.#ask({ text }))) this.#waiting = '';
    }
    this.#sending = false;
  }

  async #ask(body: { text?: string; baud?: number }): Promise<boolean> {
    try {
      const { baud, damaged } = await this.#service.sendToTerminal({ fpga_id: this.#fpgaId, body });
      const { line } = this.store.getState();
      if (line) this.store.setState({ line: { ...line, baud, damaged } });
      return true;
    } catch (error) {
      this.#onRefused(error);
      return false;
    }
  }

  #put(view: TerminalView): void {
    this.#heard = view.at + view.text.length;
    this.store.setState({ line: { ...view, text: view.text.slice(-SHOWN) } });
  }

  #hear(
    line: Line,
    { at, text, lost, damaged }: { at: number; text: string; lost: boolean; damaged: boolean },
  ): void {
    const fresh = text.slice(this.#heard - at);
    this.#heard += fresh.length;
    this.store.setState({ line: { ...line, text: (line.text + fresh).slice(-SHOWN), lost, damaged } });
  }
}

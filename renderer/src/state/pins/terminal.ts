import { createStore } from 'zustand/vanilla';
import type { Client } from '../../../../server/contract/client/client.ts';
import { ServiceError } from '../../../../server/contract/client/failures.ts';
import type { LiveEvent } from '../../../../server/contract/events/events.ts';
import type { TerminalView } from '../../../../server/contract/nodes/terminal.ts';
import { TerminalLog } from './terminal-log.ts';

/** Maximum bytes per request. */
const AT_ONCE = 512;
/** Time between two requests of a long text, ms: a caller on the LAN may send 600 requests a minute. */
const PACE_MS = 150;
/** Wait after a request that the service refused as one too many, ms. */
const REFUSED_WAIT_MS = 5000;

type Line = Pick<TerminalView, 'input' | 'output' | 'baud' | 'lost' | 'damaged'>;

interface TerminalState {
  /** Null if the design has no serial line. */
  line: Line | null;
  /** Grows with every change of the log. */
  version: number;
  /** Bytes that wait to be sent. */
  unsent: number;
}

/** What a window has received on the line of one run. */
interface Run {
  name: string;
  log: TerminalLog;
  /** The design's byte count at the newest received byte. */
  received: number;
}

/** The runs on the nodes of each bench: they stay while other tabs are shown. */
const runs = new WeakMap<Client, Map<number, Run>>();

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The serial line of the design on one node. */
export class TerminalFeed {
  readonly store = createStore<TerminalState>(() => ({ line: null, version: 0, unsent: 0 }));
  readonly #service: Client;
  readonly #fpgaId: number;
  readonly #onRefused: (error: unknown) => void;
  #run: Run | null = null;
  /** Text came during a load, whose answer may be from before it. */
  #missed = false;
  #waiting = '';
  #sending = false;
  #stops = 0;

  constructor(service: Client, fpgaId: number, onRefused: (error: unknown) => void) {
    this.#service = service;
    this.#fpgaId = fpgaId;
    this.#onRefused = onRefused;
  }

  /** What came over the line; empty before `load`. */
  get log(): TerminalLog {
    this.#run ??= { name: '', log: new TerminalLog(), received: 0 };
    return this.#run.log;
  }

  /** Loads the line of the running design. @param name tells designs apart */
  async load(name: string): Promise<void> {
    const all = runs.get(this.#service) ?? new Map<number, Run>();
    runs.set(this.#service, all);
    const known = all.get(this.#fpgaId);
    const run = known?.name === name ? known : { name, log: new TerminalLog(), received: 0 };
    all.set(this.#fpgaId, run);
    this.#run = run;
    await this.catchUp();
  }

  /** Fetches what this window has missed. */
  async catchUp(): Promise<void> {
    const run = this.#run;
    if (run === null || run.name === '') return;
    const from = run.received;
    try {
      const view = await this.#service.readTerminal({ fpga_id: this.#fpgaId, from });
      if (run !== this.#run) return;
      if (view === undefined) {
        // The design has no serial line.
        this.store.setState({ line: null });
        return;
      }
      if (view.at < from) {
        // A service that was restarted counts from the start again.
        run.received = 0;
        return await this.catchUp();
      }
      this.#hear(run, view, null);
      const { input, output, baud, lost, damaged } = view;
      this.store.setState({ line: { input, output, baud, lost, damaged } });
      if (!this.#missed) return;
      this.#missed = false;
      await this.catchUp();
    } catch (error) {
      if (run !== this.#run) return;
      this.store.setState({ line: null });
      const expected = error instanceof ServiceError && error.code === 'fpga_not_reserved';
      if (!expected) this.#onRefused(error);
    }
  }

  /** The design was reset: its line counts from the start again. What it sent before stays. */
  restart(): void {
    if (this.#run) this.#run.received = 0;
  }

  take(events: readonly LiveEvent[]): void {
    for (const event of events) {
      const { line } = this.store.getState();
      if (event.type !== 'terminal' || event.fpga_id !== this.#fpgaId) continue;
      if (line === null || this.#run === null) {
        this.#missed = true;
        continue;
      }
      const { at, text, lost, damaged } = event;
      if (at > this.#run.received) void this.catchUp();
      else {
        this.#hear(this.#run, { at, text }, Date.now());
        this.store.setState({ line: { ...line, lost, damaged } });
      }
    }
  }

  /** Sends text in UTF-8. @param echo also shows it here */
  send(text: string, echo = false): void {
    if (echo) {
      this.log.echo(text, Date.now());
      this.#changed();
    }
    this.sendBytes(new TextEncoder().encode(text));
  }

  /** Sends bytes, one request at a time; the next one has what was added meanwhile. */
  sendBytes(bytes: Uint8Array): void {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    this.#waiting += text;
    void this.#flush();
  }

  /** Drops what was not sent yet. */
  stop(): void {
    this.#stops += 1;
    this.#waiting = '';
    this.store.setState({ unsent: 0 });
  }

  /** Hides what is shown. Returns the function that shows it again. */
  clear(): () => void {
    const undo = this.log.clear();
    this.#changed();
    return () => {
      undo();
      this.#changed();
    };
  }

  async setBaud(baud: number): Promise<void> {
    try {
      await this.#ask({ baud });
    } catch (error) {
      this.#onRefused(error);
    }
  }

  async #flush(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    while (this.#waiting !== '') {
      this.store.setState({ unsent: this.#waiting.length });
      const text = this.#waiting.slice(0, AT_ONCE);
      const stops = this.#stops;
      this.#waiting = this.#waiting.slice(text.length);
      try {
        await this.#ask({ text });
        if (this.#waiting.length > AT_ONCE) await pause(PACE_MS);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'rate_limited') {
          await pause(REFUSED_WAIT_MS);
          if (stops === this.#stops) this.#waiting = text + this.#waiting;
        } else {
          this.#waiting = '';
          this.#onRefused(error);
        }
      }
    }
    this.#sending = false;
    this.store.setState({ unsent: 0 });
  }

  async #ask(body: { text?: string; baud?: number }): Promise<void> {
    const { baud, damaged } = await this.#service.sendToTerminal({ fpga_id: this.#fpgaId, body });
    const { line } = this.store.getState();
    if (line) this.store.setState({ line: { ...line, baud, damaged } });
  }

  #hear(run: Run, { at, text }: { at: number; text: string }, now: number | null): void {
    if (at > run.received) {
      // After a start nothing can be missing.
      run.log.skip(at - run.received, run.received > 0);
      run.received = at;
    }
    const fresh = text.slice(run.received - at);
    if (fresh === '') return;
    run.received += fresh.length;
    run.log.receive(fresh, now);
    this.#changed();
  }

  #changed(): void {
    this.store.setState(({ version }) => ({ version: version + 1 }));
  }
}

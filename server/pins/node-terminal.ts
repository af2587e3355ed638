import type { Clock } from '../clock.ts';
import { pause } from '../clock.ts';
import type { MatchedDesign } from '../contract/designs/uploads.ts';
import type { TerminalEvent } from '../contract/events/events.ts';
import type { NodeView } from '../contract/nodes/nodes.ts';
import {
  TERMINAL_HISTORY_BYTES,
  type TerminalSending,
  type TerminalView,
} from '../contract/nodes/terminal.ts';
import { jobsError } from '../errors/jobs.ts';
import { wishboneError } from '../errors/wishbone.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import { workInSession } from '../jobs/session-work.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import { readTerminal, setTerminalRate, writeTerminal } from '../wishbone/terminal.ts';

/** Interval of reads while there are watchers, ms; no byte of 512 is lost at 100,000 baud. */
const LOOK_MS = 40;
/** Delay before the next read after a failure, ms. */
const AGAIN_MS = 1000;
/** Longest wait for unsent bytes, ms: 512 at 300 baud. */
const SENDING_MS = 20_000;

type Terminal = NonNullable<MatchedDesign['terminal']>;

/** The serial line of the running design. */
interface Line {
  jobId: string;
  terminal: Terminal;
  clockHz: number;
  baud: number;
  /** The newest received text, one character a byte, after `dropped` bytes. */
  text: string;
  dropped: number;
  lost: boolean;
  damaged: boolean;
}

/** The part of the node pool that this file needs; see NodePool. */
interface TerminalPool extends Pick<NodePool, 'designJob' | 'renewSession'> {
  node(fpgaId: number): Pick<NodeView, 'state' | 'session' | 'resetting'>;
  report(
    fpgaId: number,
    jobId: string,
  ): Promise<{ design: Pick<MatchedDesign, 'terminal'>; timing: { clock_mhz?: number } }>;
  overLink<T>(
    fpgaId: number,
    sessionId: string,
    work: (link: Pick<WishboneLink, 'read' | 'write'>) => Promise<T>,
  ): Promise<T>;
}

export interface NodeTerminalOptions {
  fpgaId: number;
  pool: TerminalPool;
  clock: Clock;
  publish(event: TerminalEvent): void;
}

/** The bench's end of the serial line of a node's design. */
export class NodeTerminal {
  readonly #options: NodeTerminalOptions;
  #line: Line | null = null;
  #watchers = 0;
  #looking = false;
  #cancelLook: (() => void) | null = null;

  constructor(options: NodeTerminalOptions) {
    this.#options = options;
  }

  /** Reads the design's output; null without a line. @throws fpga_not_reserved, no_build_report, and what the link throws */
  async read(from = 0): Promise<TerminalView | null> {
    const line = await this.#lineNow(false);
    if (line === null) return null;
    await this.#turn(line, () => null);
    return this.#view(line, from);
  }

  /** Sets the rate and sends; when the board has it, as `read`. */
  send(sending: TerminalSending): Promise<TerminalView> {
    const { fpgaId, pool } = this.#options;
    return workInSession(pool, fpgaId, () => this.#send(sending));
  }

  async #send({ baud, text = '' }: TerminalSending): Promise<TerminalView> {
    const { clock } = this.#options;
    const line = await this.#lineNow();
    if (baud !== undefined)
      await this.#turn(line, async (link) => {
        await setTerminalRate(link, line.clockHz, baud);
        line.baud = baud;
        line.damaged = false;
      });
    const bytes = Buffer.from(text, 'latin1');
    const before = line.dropped + line.text.length;
    const deadline = clock.monotonic() + SENDING_MS;
    let sent = bytes.length === 0;
    while (!sent) {
      const late = clock.monotonic() > deadline;
      await this.#turn(line, async (link, ready) => {
        if (!ready) return;
        await writeTerminal(link, bytes);
        sent = true;
      });
      if (sent) break;
      if (late) throw wishboneError('terminal_busy');
      await pause(clock, LOOK_MS);
    }
    return this.#view(line, before);
  }

  /** Publishes the design's output while there are watchers; returns the function that ends it. */
  watch(): () => void {
    this.#watchers++;
    this.#look();
    let watching = true;
    return () => {
      if (watching) this.#watchers--;
      watching = false;
    };
  }

  /** The node has changed: another design has another line. */
  nodeChanged(): void {
    if (!this.#runs()) this.#line = null;
    this.#look();
  }

  close(): void {
    this.#watchers = 0;
    this.#line = null;
    this.#cancelLook?.();
  }

  #runs(): boolean {
    const { fpgaId, pool } = this.#options;
    const { state, session, resetting } = pool.node(fpgaId);
    return state === 'reserved' && session !== null && !resetting;
  }

  #view(line: Line, from: number): TerminalView {
    const { terminal, baud, text, dropped, lost, damaged } = line;
    const at = Math.max(dropped, Math.min(from, dropped + text.length));
    const { input, output } = terminal;
    const fpga_id = this.#options.fpgaId;
    return { fpga_id, input, output, baud, at, text: text.slice(at - dropped), lost, damaged };
  }

  /** One turn at the link: reads the design's output, then does the work. */
  async #turn(
    line: Line,
    work: (link: Pick<WishboneLink, 'read' | 'write'>, ready: boolean) => Promise<void> | null,
  ): Promise<void> {
    const { fpgaId, pool, publish } = this.#options;
    const { session } = pool.node(fpgaId);
    if (!this.#runs() || session === null) throw jobsError('fpga_not_reserved');
    await pool.overLink(fpgaId, session.session_id, async (link) => {
      const { bytes, lost, damaged, sent } = await readTerminal(link);
      const at = line.dropped + line.text.length;
      const text = Buffer.from(bytes).toString('latin1');
      line.text += text;
      line.dropped += Math.max(0, line.text.length - TERMINAL_HISTORY_BYTES);
      line.text = line.text.slice(-TERMINAL_HISTORY_BYTES);
      const news = (lost && !line.lost) || (damaged && !line.damaged);
      line.lost ||= lost;
      line.damaged ||= damaged;
      if (text !== '' || news)
        publish({ type: 'terminal', fpga_id: fpgaId, at, text, lost: line.lost, damaged: line.damaged });
      await work(link, sent);
    });
  }

  #look(): void {
    if (this.#looking || this.#watchers === 0 || !this.#runs()) return;
    const { clock } = this.#options;
    this.#looking = true;
    const again = (ms: number) => {
      this.#cancelLook = clock.after(ms, () => {
        this.#looking = false;
        this.#look();
      });
    };
    this.#lineNow(false)
      .then(async (line) => {
        if (line === null) return false;
        await this.#turn(line, () => null);
        return true;
      })
      .then(
        (found) => {
          if (found) again(LOOK_MS);
          // The next design may have a line: then the node changes.
          else this.#looking = false;
        },
        // The node itself reports errors of its board.
        () => again(AGAIN_MS),
      );
  }

  async #lineNow(): Promise<Line>;
  async #lineNow(required: false): Promise<Line | null>;
  async #lineNow(required = true): Promise<Line | null> {
    const { fpgaId, pool } = this.#options;
    const jobId = this.#runs() ? pool.designJob(fpgaId) : null;
    if (jobId === null) throw jobsError('fpga_not_reserved');
    if (this.#line?.jobId === jobId) return this.#line;
    const { design, timing } = await pool.report(fpgaId, jobId);
    if (this.#line?.jobId === jobId) return this.#line;
    const { terminal } = design;
    if (!terminal || timing.clock_mhz === undefined) {
      if (required) throw wishboneError('no_terminal');
      return null;
    }
    const clockHz = Math.round(timing.clock_mhz * 1e6);
    const nothing = { text: '', dropped: 0, lost: false, damaged: false };
    this.#line = { jobId, terminal, clockHz, baud: terminal.baud, ...nothing };
    return this.#line;
  }
}

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, every } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';

/** Size of the pieces that bodies are sent in: the most that one has in flight, and the step of progress. */
export const PIECE = 16 << 10;
/** Read size of a streamed file: larger, because a read costs more than a write. */
export const READ_AHEAD = 32 << 10;

/** Maximum memory of all bodies together while callers read them. */
const MAX_HELD_BYTES = 32 << 20;
/** Of this, the share of all remote callers; the rest is for this computer. */
const MAX_HELD_BYTES_REMOTE = 24 << 20;
/** Of this, the share of one caller; a single body may be larger. */
const MAX_HELD_BYTES_PER_CALLER = 8 << 20;
/** A caller that takes no data for this long is cut off, ms. */
const STALL_MS = 10_000;
/** …and after this time already where others wait for the memory. */
const STALL_WANTED_MS = 2_000;
/** Interval between checks, ms. */
const SWEEP_MS = 500;
/** A body of up to this size does not count against its caller's share, so that it need not wait for large ones. */
const SMALL = 32 << 10;
/** Longest wait of a body for memory, ms. */
const MAX_WAIT_MS = 10_000;
/** Maximum waiting bodies, of one caller and in all. */
const MAX_WAITING_PER_CALLER = 200;
const MAX_WAITING = 1_000;

/** The progress of a connection. */
interface Progress {
  /** Bytes that the system has taken. */
  taken: number;
  /** Monotonic time since when it has taken none of the waiting bytes, ms. */
  since: number;
}

/** The receiver of a body; see Caller. */
export interface Receiver {
  readonly countedAs: string;
  readonly loopback: boolean;
}

/** A body, its receiver and its memory. */
interface Body {
  readonly response: ServerResponse;
  readonly caller: Receiver;
  bytes: number;
}

interface Waiting {
  readonly body: Body;
  readonly bytes: number;
  readonly until: number;
  settle(admitted: boolean): void;
}

export interface OutgoingOptions {
  clock: Clock;
  /** Reports callers that were cut off since the last call. */
  onDropped(count: number): void;
}

/**
 * Answers on their way to callers. A connection that takes no data for ten seconds is cut off. Memory for bodies is
 * shared out by caller and in total, and active readers are served before idle ones.
 */
export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly #sockets = new Map<Socket, Progress>();
  readonly #bodies = new Map<ServerResponse, Body>();
  readonly #byCaller = new Map<string, number>();
  #waiting: Waiting[] = [];
  #held = 0;
  #heldRemote = 0;
  #dropped = 0;
  readonly #endSweeps: () => void;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#endSweeps = every(options.clock, SWEEP_MS, () => this.#sweep());
  }

  /** Bytes of memory that bodies use. */
  get held(): number {
    return this.#held;
  }

  /** Whether memory was reserved for a response already. */
  isReserved(response: ServerResponse): boolean {
    return this.#bodies.has(response);
  }

  close(): void {
    this.#endSweeps();
  }

  /** Watches a connection. */
  watch(socket: Socket): void {
    this.#sockets.set(socket, { taken: 0, since: this.#now });
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /**
   * Reserves memory for a body before it is made; waits until there is some. An earlier reservation of the same
   * response counts. It is released when the response ends.
   * @throws BenchError too_busy when there is none within ten seconds.
   */
  async reserve(response: ServerResponse, caller: Receiver, bytes: number): Promise<void> {
    const body = this.#bodies.get(response) ?? { response, caller, bytes: 0 };
    const before = this.#waiting.filter((one) => one.body.caller.countedAs === caller.countedAs).length;
    if ((before === 0 || bytes <= SMALL) && this.#fits(body, bytes)) return this.#take(body, bytes);
    if (before >= MAX_WAITING_PER_CALLER || this.#waiting.length >= MAX_WAITING) throw apiError('too_busy');
    const until = this.#now + MAX_WAIT_MS;
    const admitted = await new Promise<boolean>((resolve) => {
      this.#waiting.push({ body, bytes, until, settle: resolve });
      response.once('close', () => this.#serveWaiting());
      this.#serveWaiting();
    });
    if (!admitted) throw apiError('too_busy');
  }

  /**
   * Updates the memory of a growing body, e.g. of an event stream. When the total is too large, the slowest reader is
   * cut off.
   */
  hold(response: ServerResponse, caller: Receiver, bytes: number): void {
    const body = this.#bodies.get(response) ?? { response, caller, bytes: 0 };
    this.#take(body, bytes);
    while (this.#held > MAX_HELD_BYTES && this.#bodies.size > 1) {
      const idlest = this.#idlest();
      if (!idlest) return;
      this.#drop(idlest.response);
    }
  }

  /** Cuts off every body of a caller whose rights have ended. */
  end(countedAs: string): void {
    for (const { caller, response } of [...this.#bodies.values()])
      if (caller.countedAs === countedAs) response.destroy();
  }

  /** Milliseconds for which a connection has taken none of its waiting data. */
  #idle(socket: Socket | null): number {
    const progress = socket && this.#sockets.get(socket);
    if (!progress) return 0;
    const taken = socket.bytesWritten - socket.writableLength;
    const nothing = socket.writableLength === 0 && !socket.writableEnded;
    if (nothing || taken !== progress.taken) {
      progress.taken = taken;
      progress.since = this.#now;
    }
    return this.#now - progress.since;
  }

  #fits({ caller, bytes: before }: Body, bytes: number): boolean {
    const more = bytes - before;
    const own = (this.#byCaller.get(caller.countedAs) ?? 0) + more;
    if (own > MAX_HELD_BYTES_PER_CALLER && own !== bytes && bytes > SMALL) return false;
    if (!caller.loopback && this.#heldRemote + more > MAX_HELD_BYTES_REMOTE && this.#heldRemote !== before)
      return false;
    return this.#held + more <= MAX_HELD_BYTES || this.#held === before;
  }

  #take(body: Body, bytes: number): void {
    if (body.response.destroyed) return;
    if (!this.#bodies.has(body.response)) {
      this.#bodies.set(body.response, body);
      body.response.once('close', () => this.#release(body));
    }
    this.#count(body, bytes);
  }

  #count(body: Body, bytes: number): void {
    const { countedAs, loopback } = body.caller;
    const more = bytes - body.bytes;
    const own = (this.#byCaller.get(countedAs) ?? 0) + more;
    if (own > 0) this.#byCaller.set(countedAs, own);
    else this.#byCaller.delete(countedAs);
    this.#held += more;
    if (!loopback) this.#heldRemote += more;
    body.bytes = bytes;
  }

  #release(body: Body): void {
    if (!this.#bodies.delete(body.response)) return;
    this.#count(body, 0);
    this.#serveWaiting();
  }

  /** Serves waiting bodies in order. A body whose caller has used its share does not block the others. */
  #serveWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const full = new Set<string>();
    for (const one of waiting) {
      const { body, bytes, until, settle } = one;
      if (body.response.destroyed || this.#now >= until) settle(false);
      else if (!full.has(body.caller.countedAs) && this.#fits(body, bytes)) {
        this.#take(body, bytes);
        settle(true);
      } else {
        full.add(body.caller.countedAs);
        this.#waiting.push(one);
      }
    }
  }

  #sweep(): void {
    for (const socket of this.#sockets.keys()) if (this.#idle(socket) >= STALL_MS) this.#dropSocket(socket);
    // Cutting off idle readers makes room for waiting bodies.
    const callers = new Set(this.#waiting.map(({ body }) => body.caller.countedAs));
    const allFull = this.#held + PIECE > MAX_HELD_BYTES;
    for (const { response, caller } of [...this.#bodies.values()])
      if (
        this.#waiting.length > 0 &&
        (allFull || callers.has(caller.countedAs)) &&
        this.#idle(response.socket) >= STALL_WANTED_MS
      )
        this.#drop(response);
    this.#serveWaiting();
    if (this.#dropped === 0) return;
    this.#options.onDropped(this.#dropped);
    this.#dropped = 0;
  }

  /** The body whose caller has been idle longest; of equals, the largest. */
  #idlest(): Body | null {
    let idlest: { body: Body; idle: number } | null = null;
    for (const body of this.#bodies.values()) {
      if (body.bytes === 0) continue;
      const idle = this.#idle(body.response.socket);
      if (!idlest || idle > idlest.idle || (idle === idlest.idle && body.bytes > idlest.body.bytes))
        idlest = { body, idle };
    }
    return idlest?.body ?? null;
  }

  #drop(response: ServerResponse): void {
    const body = this.#bodies.get(response);
    if (response.socket) this.#dropSocket(response.socket);
    else response.destroy();
    // Its own `close` event comes later.
    if (body) this.#release(body);
  }

  /** Resets the connection, so that the system drops its buffered data. */
  #dropSocket(socket: Socket): void {
    this.#dropped++;
    this.#sockets.delete(socket);
    socket.resetAndDestroy();
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }
}

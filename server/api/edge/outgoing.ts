import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, every } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';

/** Bodies are sent in pieces of so many bytes: what one of them has under way at most, and what progress is seen by. */
export const PIECE = 16 << 10;
/** Read at once from a file that is sent as it is read: larger, for a read costs more than a write. */
export const READ_AHEAD = 32 << 10;

/** Memory that all bodies together may hold while their callers read. */
const MAX_HELD_BYTES = 32 << 20;
/** Of these, for all callers on the network: what is left is this computer's. */
const MAX_HELD_BYTES_REMOTE = 24 << 20;
/** Of these, for one caller; a single body may be larger. */
const MAX_HELD_BYTES_PER_CALLER = 8 << 20;
/** A caller who takes nothing of what is there for so long is cut off, ms. */
const STALL_MS = 10_000;
/** …and after so long already where others wait for the memory. */
const STALL_WANTED_MS = 2_000;
/** How often is looked, ms. */
const SWEEP_MS = 500;
/** A body of so many bytes needs no share of its caller: it is not to wait behind large ones. */
const SMALL = 32 << 10;
/** A body waits so long for memory, ms. */
const MAX_WAIT_MS = 10_000;
/** Bodies that wait: of one caller, and in all. */
const MAX_WAITING_PER_CALLER = 200;
const MAX_WAITING = 1_000;

/** How far a connection has got with what it was given. */
interface Progress {
  /** Bytes that the system has taken. */
  taken: number;
  /** Monotonic ms since when it has taken none although there are some. */
  since: number;
}

/** Whom a body is for; see Caller. */
export interface Receiver {
  readonly countedAs: string;
  readonly loopback: boolean;
}

/** A body, whom it is for, and what it holds. */
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
  /** So many callers were cut off since the last time. */
  onDropped(count: number): void;
}

/**
 * What is on its way to callers. Every connection that takes nothing for ten seconds is cut off; the memory that bodies
 * hold is shared out, to each caller and in all, and who reads is served before who does not.
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

  /** Bytes that bodies hold at the moment. */
  get held(): number {
    return this.#held;
  }

  /** Whether memory was taken for a response already. */
  isReserved(response: ServerResponse): boolean {
    return this.#bodies.has(response);
  }

  close(): void {
    this.#endSweeps();
  }

  /** Looks after a connection from now on. */
  watch(socket: Socket): void {
    this.#sockets.set(socket, { taken: 0, since: this.#now });
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /**
   * Takes memory for a body before it is made; resolves when there is some. What was taken for the same response before
   * is taken into account. It is given back when the response has ended.
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
   * Says how much a body that grows by itself holds now, e.g. of an event stream; whoever reads least is cut off for
   * what is too much.
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

  /** Cuts off what is being sent to one caller, whose right to it has ended. */
  end(countedAs: string): void {
    for (const { caller, response } of [...this.#bodies.values()])
      if (caller.countedAs === countedAs) response.destroy();
  }

  /** Milliseconds for which the connection has taken nothing of what is there for it. */
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

  /** Lets in who waits, in their order; one whose caller has its share does not hold up the others. */
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
    // Those who wait are let in by the end of those who do not read.
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

  /** The body whose caller has taken nothing for longest, the largest of these. */
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
    // Its own `close` comes later.
    if (body) this.#release(body);
  }

  /** Resets the connection, so that the system does not keep for the caller what it has taken for it. */
  #dropSocket(socket: Socket): void {
    this.#dropped++;
    this.#sockets.delete(socket);
    socket.resetAndDestroy();
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }
}

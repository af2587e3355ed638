import { createServer, type Server, type Socket } from 'node:net';
import type { Settings } from '../../contract/bench/settings.ts';
import { NODE_COUNT } from '../../contract/boards/node-count.ts';
import { authError } from '../../errors/auth.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { wishboneError } from '../../errors/wishbone.ts';
import { EtherboneConversation } from '../../etherbone/conversation.ts';
import type { KeyRecord } from '../../identity/records.ts';
import { takeFrame } from '../../stream/conversation.ts';
import { frameBytes, HEADER_BYTES, isOp } from '../../stream/frames.ts';
import type { NodeStream } from '../../stream/streams.ts';
import { failureOf } from '../../stream/transaction.ts';
import type { ApiContext } from '../context.ts';
import { originOf, THIS_COMPUTER } from '../edge/address.ts';
import { type Caller, isEnforced, requireHolder, requireStillAdmitted } from '../edge/caller.ts';
import { auditStream } from './stream-routes.ts';

export type PortKind = 'tcp' | 'etherbone';

/** Time limit for a caller's key where one is required, ms. */
const KEY_MS = 5_000;
const MAX_KEY_LENGTH = 512;
/** Unread bytes of answers above which no new request of this caller is processed. */
const MAX_UNREAD_BYTES = 1 << 20;
/** Time for a caller to read the reason before the connection closes, ms. */
const GOODBYE_MS = 50;
/** First bytes of an Etherbone packet. Its first byte is printable, but no key begins with these bytes. */
const ETHERBONE = Buffer.from('4e6f10', 'hex');

/** A text line begins with such a byte, a frame never does. */
const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;

/** Processes bytes from a node's port; returns a sentence for invalid ones. */
type Take = (bytes: Buffer) => string | null;

/** Processes binary stream frames, one after another. */
function frames(stream: NodeStream, send: (bytes: Buffer) => void, maxWords: number): Take {
  let parts: Buffer[] = [];
  let length = 0;
  let wanted = HEADER_BYTES;
  return (bytes) => {
    parts.push(bytes);
    length += bytes.length;
    while (length >= wanted) {
      let all = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
      if (!isOp(all[0] ?? 0)) return 'A frame begins with the op 0x01, 0x02, 0x81 or 0x82.';
      const whole = frameBytes(all);
      if (whole > HEADER_BYTES + 4 * maxWords) return `A frame has at most ${maxWords} words.`;
      if (all.length >= whole) {
        takeFrame(stream, all.subarray(0, whole), send);
        all = all.subarray(whole);
        wanted = HEADER_BYTES;
      } else wanted = whole;
      parts = all.length > 0 ? [all] : [];
      length = all.length;
    }
    return null;
  };
}

/**
 * TCP ports of the nodes for clients without WebSockets, one for each node and kind; closed unless the settings open
 * them.
 */
export class NodePorts {
  readonly #context: ApiContext;
  readonly #servers = new Map<PortKind, { key: string; servers: Server[] }>();
  readonly #sockets = new Set<Socket>();
  readonly #problems = new Map<PortKind, string>();
  #applying: Promise<void> = Promise.resolve();

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Sentences on ports that could not be opened. */
  get problems(): string[] {
    return [...this.#problems.values()];
  }

  /** Opens and closes ports as the settings require; never rejects, see `problems`. @param host for plain TCP */
  apply({ stream_port, etherbone_port }: Settings['network'], host: string): Promise<void> {
    this.#applying = this.#applying.then(async () => {
      await this.#open('tcp', stream_port, host);
      await this.#open('etherbone', etherbone_port, host);
    });
    return this.#applying;
  }

  async close(): Promise<void> {
    await this.#applying;
    for (const { servers } of this.#servers.values()) for (const server of servers) server.close();
    this.#servers.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #open(kind: PortKind, base: number | null, host: string): Promise<void> {
    const key = base === null ? '' : `${host} ${base}`;
    const before = this.#servers.get(kind);
    if ((before?.key ?? '') === key) return;
    this.#servers.delete(kind);
    this.#problems.delete(kind);
    const closed = before?.servers.map((server) => new Promise((resolve) => server.close(resolve))) ?? [];
    if (before) for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
    if (base === null) return;
    const servers: Server[] = [];
    try {
      for (let node = 0; node < NODE_COUNT; node++) {
        const server = createServer({ noDelay: true }, (socket) => this.#connected(socket, kind, node));
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject);
          server.listen({ host, port: base + node }, resolve);
        });
        servers.push(server);
      }
      this.#servers.set(kind, { key, servers });
    } catch (error) {
      for (const server of servers) server.close();
      const { code } = error as NodeJS.ErrnoException;
      const what = kind === 'tcp' ? 'transaction stream' : 'Etherbone';
      const sentence = `The ports ${base} to ${base + NODE_COUNT - 1} for ${what} could not be opened (${code ?? 'unknown reason'}): choose others in the settings.`;
      this.#problems.set(kind, sentence);
      this.#context.logger.error({ err: error }, sentence);
    }
  }

  #connected(socket: Socket, kind: PortKind, fpgaId: number): void {
    this.#sockets.add(socket);
    this.#context.outgoing.watch(socket);
    socket.on('error', () => {}); // its close is what counts
    let cancel = this.#context.clock.after(KEY_MS, () => {});
    socket.once('close', () => {
      cancel();
      this.#sockets.delete(socket);
    });
    const begin = (key: KeyRecord | null, sentKey: boolean, first: Buffer) => {
      cancel();
      try {
        this.#converse(socket, kind, fpgaId, this.#callerOf(socket, key, sentKey), first);
      } catch (error) {
        if (!(error instanceof BenchError)) throw error;
        if (error.code === 'invalid_api_key') this.#context.limits.guessed(originOf(socket.remoteAddress));
        this.#refuse(socket, error);
      }
    };
    const { session } = this.#context.pool.node(fpgaId);
    const seen = session && this.#context.holders.keyOf(session.owner, socket.remoteAddress);
    const known = seen && this.#context.keys.isValid(seen) ? seen : null;
    // LiteX's client waits for a line of the server before it sends anything.
    if (kind === 'etherbone' && (known || !isEnforced(this.#context))) {
      begin(known, false, Buffer.alloc(0));
      return;
    }
    cancel();
    cancel = this.#context.clock.after(KEY_MS, () => this.#refuse(socket, authError('missing_api_key')));
    let first = Buffer.alloc(0);
    const onData = (bytes: Buffer) => {
      first = Buffer.concat([first, bytes]);
      const [byte = 0] = first;
      const speaksAtOnce = !isPrintable(byte) || first.subarray(0, 3).equals(ETHERBONE);
      const end = first.indexOf(0x0a);
      if (!speaksAtOnce && end < 0 && first.length < MAX_KEY_LENGTH) return;
      socket.off('data', onData);
      if (speaksAtOnce) {
        begin(null, false, first);
        return;
      }
      const line = first.subarray(0, Math.max(0, end)).toString('latin1').trim();
      if (this.#context.limits.mustWait(originOf(socket.remoteAddress)) && !this.#context.keys.find(line)) {
        this.#refuse(socket, authError('too_many_guesses'));
        return;
      }
      begin(this.#context.keys.find(line), true, first.subarray(end + 1));
    };
    socket.on('data', onData);
  }

  #callerOf(socket: Socket, key: KeyRecord | null, sentKey: boolean): Caller {
    const origin = originOf(socket.remoteAddress);
    // A first line that is no valid key is not parsed as a frame: a page may have sent it in another protocol.
    if (sentKey && !key) throw authError('invalid_api_key');
    return {
      owner: key?.username ?? 'anonymous',
      key,
      sentKey,
      sessionId: null,
      operatorToken: false,
      provenOperator: key?.operator === true,
      operator: key?.operator === true,
      loopback: origin === THIS_COMPUTER,
      origin,
      countedAs: key?.id ?? origin,
    };
  }

  /** @throws BenchError where the caller lacks the right, or the node has no session. */
  #converse(socket: Socket, kind: PortKind, fpgaId: number, caller: Caller, first: Buffer): void {
    const context = this.#context;
    const check = () => {
      requireStillAdmitted(context, caller, 'key');
      requireHolder(context, caller, fpgaId);
    };
    check();
    const stream = context.streams.open({
      fpgaId,
      owner: caller.owner,
      via: kind,
      onRoom: () => socket.resume(),
      onEnd: () => this.#goodbye(socket),
    });
    let done: () => void;
    try {
      done = context.underway.begin('transactions', { caller, check, end: (reason) => stream.end(reason) });
    } catch (error) {
      stream.end();
      throw error;
    }
    const about = { caller, from: socket.remoteAddress ?? null, fpgaId, requestId: null };
    auditStream(context, about, { what: 'opened', via: kind });
    socket.once('close', () => {
      stream.end();
      done();
      auditStream(context, about, { what: 'closed', via: kind, ...stream.counts });
    });
    socket.on('drain', () => stream.hold(false));
    const send = (bytes: Buffer) => {
      if (socket.destroyed || socket.writableEnded) return;
      socket.write(bytes);
      stream.hold(socket.writableLength > MAX_UNREAD_BYTES);
    };
    const maxWords = context.settings.current.limits.words_per_run;
    const etherbone = kind === 'etherbone' ? new EtherboneConversation(stream, send) : null;
    const take: Take = etherbone ? (bytes) => etherbone.take(bytes) : frames(stream, send, maxWords);
    // One line of at most 128 bytes: LiteX's server names its link when a client connects.
    if (etherbone) socket.write(`CommUART:wishbench-node-${fpgaId}`);
    const onData = (bytes: Buffer) => {
      const problem = take(bytes);
      if (problem !== null) {
        socket.off('data', onData);
        stream.end(wishboneError('frame_invalid', { message: problem }));
      } else if (stream.full) socket.pause();
    };
    socket.on('data', onData);
    if (first.length > 0) onData(first);
  }

  #refuse(socket: Socket, error: BenchError): void {
    const { code, message } = failureOf(error);
    socket.write(`error ${code}: ${message}\n`);
    this.#goodbye(socket);
  }

  #goodbye(socket: Socket): void {
    socket.resume();
    socket.end();
    this.#context.clock.after(GOODBYE_MS, () => socket.destroy());
  }
}

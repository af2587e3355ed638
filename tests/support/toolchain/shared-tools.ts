import net from 'node:net';
import v8 from 'node:v8';
import {
  type ForkTools,
  forkWithNode,
  type ToolsChild,
} from '../../../server/toolchain/engines/embedded/fork-tools.ts';
import {
  type FromTools,
  isFromTools,
  type ToTools,
} from '../../../server/toolchain/engines/embedded/process-messages.ts';

/** Environment variable with the loopback port of the shared tools. */
const PORT = 'WISHBENCH_TEST_TOOLS';
/** Bytes of the length before each message. */
const HEADER = 4;

/** A connection that transports values of structured clone. */
class Messages {
  readonly socket: net.Socket;
  #unread: Buffer[] = [];
  #size = 0;

  constructor(socket: net.Socket, receive: (message: unknown) => void) {
    this.socket = socket.setNoDelay();
    // The end of a connection is `close`, whatever its reason.
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.#unread.push(chunk);
      this.#size += chunk.length;
      for (let whole = this.#next(); whole; whole = this.#next()) receive(v8.deserialize(whole));
    });
  }

  post(message: ToTools | FromTools): void {
    const body = v8.serialize(message);
    const header = Buffer.alloc(HEADER);
    header.writeUInt32LE(body.length);
    if (this.socket.writable) this.socket.write(Buffer.concat([header, body]));
  }

  #next(): Buffer | null {
    if (this.#size < HEADER) return null;
    if (this.#unread[0]!.length < HEADER) this.#unread = [Buffer.concat(this.#unread)];
    const end = HEADER + this.#unread[0]!.readUInt32LE();
    if (this.#size < end) return null;
    const all = Buffer.concat(this.#unread);
    this.#unread = [all.subarray(end)];
    this.#size -= end;
    return all.subarray(HEADER, end);
  }
}

/** A process of the tests that uses the shared tools. The ids of its runs begin at `base` in the tools' process. */
interface Caller {
  messages: Messages;
  base: number;
}

/** Runs of one caller. */
const RUNS = 2 ** 24;

/**
 * The tools' process of a whole run of the tests. It takes almost three seconds of processor time to start one and to
 * load its tools, and each process of the tests would start several, because they end after a pause.
 */
export class SharedTools {
  readonly #server = net.createServer((socket) => this.#serve(socket));
  readonly #entry: string;
  readonly #callers: Caller[] = [];
  readonly #running = new Set<number>();
  #child: ToolsChild | null = null;
  /** The caller that waits until code is stored. */
  #storing: Caller | null = null;
  /** Messages to the tools after that. */
  #waiting: ToTools[] = [];

  private constructor(entry: string) {
    this.#entry = entry;
  }

  /** From now on `forkShared` uses them, in this process and those that it starts. @param entry of the tools' process */
  static async open(entry: string): Promise<SharedTools> {
    const tools = new SharedTools(entry);
    await new Promise<void>((resolve) => tools.#server.listen(0, '127.0.0.1', resolve));
    process.env[PORT] = String((tools.#server.address() as net.AddressInfo).port);
    return tools;
  }

  /** Ends the process, which stores its compiled code. */
  close(): void {
    this.#child?.post({ kind: 'end' });
    this.#server.close();
    for (const { messages } of this.#callers) messages.socket.destroy();
  }

  #serve(socket: net.Socket): void {
    const base = RUNS * this.#callers.length;
    const messages = new Messages(socket, (message) => this.#receive(message as ToTools, caller));
    const caller = { messages, base };
    this.#callers.push(caller);
    socket.on('close', () => {
      for (const id of this.#running) if (this.#callerOf(id) === caller) this.#post({ kind: 'abort', id });
    });
  }

  #callerOf(id: number): Caller | undefined {
    return this.#callers[Math.floor(id / RUNS)];
  }

  #receive(message: ToTools, caller: Caller): void {
    switch (message.kind) {
      case 'start':
        this.#child ??= this.#fork(message);
        caller.messages.post({ kind: 'ready' });
        return;
      case 'run':
        this.#running.add(caller.base + message.id);
        this.#post({ ...message, id: caller.base + message.id });
        return;
      case 'file':
      case 'abort':
        this.#post({ ...message, id: caller.base + message.id });
        return;
      case 'keep':
        // Only while nothing runs, because the process may end.
        if (this.#running.size > 0 || this.#storing) caller.messages.post({ kind: 'kept' });
        else {
          this.#post(message);
          this.#storing = caller;
        }
        return;
      default:
        // The tools stay loaded, and the process lasts until `close`.
        return;
    }
  }

  #post(message: ToTools): void {
    if (this.#storing) this.#waiting.push(message);
    else this.#child?.post(message);
  }

  #fork(start: ToTools): ToolsChild {
    const child = forkWithNode(this.#entry);
    child.listen(
      (message) => isFromTools(message) && this.#deliver(message),
      () => {
        // Its callers start another.
        this.#child = null;
        this.#storing = null;
        this.#waiting = [];
        this.#running.clear();
        for (const { messages } of this.#callers) messages.socket.destroy();
      },
    );
    child.hold(false);
    child.post(start);
    return child;
  }

  #deliver(message: FromTools): void {
    switch (message.kind) {
      case 'lines':
      case 'done':
      case 'failed':
        if (message.kind !== 'lines') this.#running.delete(message.id);
        this.#callerOf(message.id)?.messages.post({ ...message, id: message.id % RUNS });
        return;
      case 'alive':
        for (const { messages } of this.#callers) messages.post(message);
        return;
      case 'kept': {
        this.#storing?.messages.post(message);
        this.#storing = null;
        for (const waiting of this.#waiting.splice(0)) this.#post(waiting);
        return;
      }
      default:
        return;
    }
  }
}

/** Uses the shared tools of this run of the tests; without them, as in a benchmark, starts a process of its own. */
export const forkShared: ForkTools = (entry) => {
  const port = process.env[PORT];
  if (port === undefined) return forkWithNode(entry);
  const socket = net.connect(Number(port), '127.0.0.1');
  let tell: (message: unknown) => void = () => {};
  const messages = new Messages(socket, (message) => tell(message));
  return {
    post: (message) => messages.post(message),
    listen(message, ended) {
      tell = message;
      socket.once('close', () => ended('closed'));
    },
    hold: (keepAlive) => (keepAlive ? socket.ref() : socket.unref()),
    kill: () => socket.destroy(),
  };
};

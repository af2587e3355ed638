import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { assertNever } from '../../errors/bench-error.ts';
import { type ChipTable, loadChipTable } from './chip/chip-table.ts';
import type { FabricStatus, FabricThreadData, FromThread, ToThread } from './protocol.ts';
import { FabricHost } from './runtime/fabric-host.ts';
import { type Scheduled, Scheduler } from './runtime/scheduler.ts';

/** Bytes to a design that may wait before a write is answered only when there is room again. */
const BACKLOG = 16_384;

/** A thread that runs fabrics: answers their proxies and gives their designs time slices. */
const port = parentPort;
if (!port) throw new Error('fabric-worker.js runs as a worker thread only');
const post = (message: FromThread) => port.postMessage(message);

const { table: tableFile }: FabricThreadData = workerData;
let table: ChipTable | null = null;
const chipTable = () => (table ??= loadChipTable(tableFile));

class Fabric implements Scheduled {
  readonly host: FabricHost;
  readonly #id: number;
  #waiting: { request: number; room: number }[] = [];
  #reported = false;

  constructor(id: number, host: FabricHost) {
    this.#id = id;
    this.host = host;
  }

  get design() {
    return this.host.design;
  }

  reset(): void {
    this.host.reset();
    this.#reported = false;
    this.#answerWaiting();
  }

  /** Answers once no more than `room` bytes are waiting to be sent. */
  answerWhen(request: number, room: number): void {
    this.#waiting.push({ request, room });
    this.#answerWaiting();
  }

  deliver(bytes: Uint8Array): void {
    if (bytes.length > 0) post({ kind: 'data', fabric: this.#id, bytes });
    const stopped = this.design?.stopped;
    if (stopped && !this.#reported) {
      this.#reported = true;
      const { code, message } = stopped;
      post({ kind: 'stopped', fabric: this.#id, refusal: { code, message } });
    }
    if (this.#waiting.length > 0) this.#answerWaiting();
  }

  #answerWaiting(): void {
    const { design } = this;
    const stuck = (room: number) =>
      design && !design.stopped && (room > 0 ? design.uart.backlog > room : !design.uart.quiet);
    this.#waiting = this.#waiting.filter(({ request, room }) => {
      if (stuck(room)) return true;
      post({ kind: 'answer', request, status: null });
      return false;
    });
  }
}

const fabrics = new Map<number, Fabric>();
const scheduler = new Scheduler(systemClock);

function handle(message: ToThread): FabricStatus | 'later' | null {
  if (message.kind === 'open') {
    const fabric = new Fabric(message.fabric, new FabricHost(message.options, chipTable, systemClock));
    fabrics.set(message.fabric, fabric);
    scheduler.add(fabric);
    chipTable();
    return null;
  }
  const fabric = fabrics.get(message.fabric);
  if (!fabric) throw new Error(`there is no fabric ${message.fabric}`);
  switch (message.kind) {
    case 'reset':
      fabric.reset();
      return null;
    case 'configure':
      fabric.host.configure(message.bytes);
      scheduler.wake();
      return null;
    case 'status':
      return fabric.host.status();
    case 'write':
      fabric.design?.send(message.bytes);
      scheduler.wake();
      fabric.answerWhen(message.request, BACKLOG);
      return 'later';
    case 'drain':
      fabric.answerWhen(message.request, 0);
      return 'later';
    case 'baud':
      fabric.host.setBaud(message.baud);
      return null;
    case 'close':
      fabric.reset();
      fabrics.delete(message.fabric);
      scheduler.remove(fabric);
      return null;
    default:
      return assertNever(message);
  }
}

port.on('message', (message: ToThread) => {
  const { request } = message;
  try {
    const status = handle(message);
    if (status !== 'later') post({ kind: 'answer', request, status });
  } catch (error) {
    post({ kind: 'failure', request, message: error instanceof Error ? error.message : String(error) });
  }
});

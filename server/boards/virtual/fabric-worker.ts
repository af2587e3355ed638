import { parentPort, workerData } from 'node:worker_threads';
import { assertNever } from '../../errors/bench-error.ts';
import { type ChipTable, loadChipTable } from './chip/chip-table.ts';
import type { FabricStatus, FromThread, ToThread } from './protocol.ts';
import { FabricHost } from './runtime/fabric-host.ts';
import { type Scheduled, Scheduler } from './runtime/scheduler.ts';

/** Bytes to a design that may wait before a write is answered only when there is room again. */
const BACKLOG = 16_384;

/** A thread that runs fabrics: answers their proxies and gives their designs turns. */
const port = parentPort;
if (!port) throw new Error('fabric-worker.js runs as a worker thread only');
const post = (message: FromThread) => port.postMessage(message);

let table: ChipTable | null = null;
const chipTable = () => (table ??= loadChipTable(workerData.table));

class Fabric implements Scheduled {
  private waiting: { request: number; room: number }[] = [];
  private reported = false;

  constructor(
    private readonly id: number,
    readonly host: FabricHost,
  ) {}

  get design() {
    return this.host.design;
  }

  reset(): void {
    this.host.reset();
    this.reported = false;
    this.answerWaiting();
  }

  /** Answers once no more than `room` bytes are waiting to be sent. */
  answerWhen(request: number, room: number): void {
    this.waiting.push({ request, room });
    this.answerWaiting();
  }

  deliver(bytes: Uint8Array): void {
    if (bytes.length > 0) post({ is: 'data', fabric: this.id, bytes });
    const stopped = this.design?.stopped;
    if (stopped && !this.reported) {
      this.reported = true;
      post({ is: 'stopped', fabric: this.id, refusal: { code: stopped.code, message: stopped.message } });
    }
    if (this.waiting.length > 0) this.answerWaiting();
  }

  private answerWaiting(): void {
    const { design } = this;
    const stuck = (room: number) =>
      design && !design.stopped && (room > 0 ? design.uart.backlog > room : !design.uart.quiet);
    this.waiting = this.waiting.filter(({ request, room }) => {
      if (stuck(room)) return true;
      post({ is: 'answer', request });
      return false;
    });
  }
}

const fabrics = new Map<number, Fabric>();
const scheduler = new Scheduler();

function handle(message: ToThread): FabricStatus | 'later' | undefined {
  if (message.op === 'open') {
    const fabric = new Fabric(
      message.fabric,
      new FabricHost(message.options, chipTable, () => performance.now()),
    );
    fabrics.set(message.fabric, fabric);
    scheduler.add(fabric);
    chipTable();
    return;
  }
  const fabric = fabrics.get(message.fabric);
  if (!fabric) throw new Error(`there is no fabric ${message.fabric}`);
  switch (message.op) {
    case 'reset':
      fabric.reset();
      return;
    case 'configure':
      fabric.host.configure(message.bytes);
      scheduler.wake();
      return;
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
      return;
    case 'close':
      fabric.reset();
      fabrics.delete(message.fabric);
      scheduler.remove(fabric);
      return;
    default:
      return assertNever(message);
  }
}

port.on('message', (message: ToThread) => {
  try {
    const status = handle(message);
    if (status === 'later') return;
    post({ is: 'answer', request: message.request, ...(status ? { status } : {}) });
  } catch (error) {
    post({ is: 'failure', request: message.request, message: (error as Error).message });
  }
});

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { assertNever } from '../../errors/bench-error.ts';
import { Alertness } from './alertness.ts';
import { type ChipTable, loadChipTable } from './chip/chip-table.ts';
import { Inbox, type Letter, Outbox } from './mailbox.ts';
import type { BoardSample, FabricObservation } from './observation.ts';
import {
  type FabricStatus,
  type FabricThreadData,
  type FromThread,
  PULSE,
  type ToThread,
} from './protocol.ts';
import { FabricHost } from './runtime/fabric-host.ts';
import { PlanStore } from './runtime/plan-store.ts';
import { type Scheduled, Scheduler } from './runtime/scheduler.ts';
import { WordsThread } from './runtime/words-thread.ts';

/** Waiting bytes to a design above which a write is answered only when there is room again. */
const BACKLOG = 16_384;

/** Clocks stepped between two counted steps of the thread. */
const STEP = 10_000;

/** A thread that runs fabrics: answers their proxies and gives their designs time slices. */
const port = parentPort;
if (!port) throw new Error('fabric-worker.js runs as a worker thread only');
const { table: tableFile, wordsScript, pulse, mailboxes }: FabricThreadData = workerData;
const inbox = new Inbox(mailboxes.to, takeLetter);
const outbox = new Outbox(mailboxes.from, () => post({ kind: 'wake' }));

function post(message: FromThread): void {
  outbox.posted();
  port?.postMessage(message);
}

/** Counts a step: a watcher of this thread sees its progress. */
const beat = () => Atomics.add(pulse, PULSE.steps, 1);

function longStep<T>(work: () => T): T {
  Atomics.store(pulse, PULSE.longStep, 1);
  try {
    return work();
  } finally {
    beat();
    Atomics.store(pulse, PULSE.longStep, 0);
  }
}

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

  /** Answers when at most `room` bytes wait to be sent, with the output of the design's next turn, if it has one. */
  answerWhen(request: number, room: number): void {
    this.#waiting.push({ request, room });
    if (this.design?.urgency !== 'busy') this.#answerWaiting();
  }

  deliver(bytes: Uint8Array): void {
    beat();
    // In one message, because each message wakes the receiving thread.
    const answered = this.#waiting.length > 0 ? this.#takeAnswered() : [];
    if (bytes.length + answered.length > 0 && !outbox.put({ fabric: this.#id, requests: answered, bytes }))
      post({ kind: 'data', fabric: this.#id, bytes, answered });
    if (bytes.length > 0 && this.design?.urgency !== 'busy') alertness.wait();
    const stopped = this.design?.stopped;
    if (stopped && !this.#reported) {
      this.#reported = true;
      const { code, message } = stopped;
      post({ kind: 'stopped', fabric: this.#id, refusal: { code, message } });
    }
    if (this.design?.takeTriggered()) post({ kind: 'triggered', fabric: this.#id });
    const recording = this.design?.takeRecording();
    if (recording) post({ kind: 'recorded', fabric: this.#id, recording });
  }

  /** @throws Error where nothing runs. */
  observe(request: FabricObservation): BoardSample {
    const { design } = this;
    if (!design || design.stopped) throw new Error(design?.stopped?.message ?? 'No design is running.');
    design.requested(request);
    const places = request.kind === 'observe' ? request.places : [];
    let unknown = design.unknown(places);
    switch (request.kind) {
      case 'observe':
        break;
      case 'record':
        unknown = design.unknown(request.recording.places);
        if (unknown.length === 0) design.record(request.recording);
        break;
      case 'end-recording':
        design.endRecording();
        this.deliver(new Uint8Array());
        break;
      case 'pause':
        design.pause(request.paused);
        break;
      case 'step':
        for (let left = request.clocks; left > 0 && design.paused; left -= STEP) {
          const before = design.clock;
          design.step(Math.min(left, STEP));
          this.deliver(design.uart.take());
          if (design.clock - before < Math.min(left, STEP)) break;
        }
        break;
      default:
        assertNever(request);
    }
    // A paused clock gives no turn in which to answer them.
    if (design.paused) this.#answerWaiting();
    const { clock, paused } = design;
    return { clock, paused, values: design.peek(places), unknown };
  }

  #answerWaiting(): void {
    for (const request of this.#takeAnswered()) post({ kind: 'answer', request, status: null });
  }

  /** Takes the requests that can be answered. */
  #takeAnswered(): number[] {
    const { design } = this;
    const stuck = (room: number) =>
      design && !design.stopped && (room > 0 ? design.uart.backlog > room : !design.uart.quiet);
    const answered = this.#waiting.filter(({ room }) => !stuck(room));
    this.#waiting = this.#waiting.filter(({ room }) => stuck(room));
    return answered.map(({ request }) => request);
  }
}

const fabrics = new Map<number, Fabric>();
const plans = new PlanStore();
const { make: makeWords } = new WordsThread(wordsScript);
/** Polls for the next bytes to a design. */
const alertness = new Alertness(inbox);
const scheduler = new Scheduler(systemClock, () => Atomics.load(pulse, PULSE.threads));

function write(fabric: Fabric, request: number, bytes: Uint8Array): void {
  alertness.end();
  fabric.design?.send(bytes);
  fabric.answerWhen(request, BACKLOG);
  scheduler.run();
}

/** Reports a failure to the caller. */
function attempt(request: number, work: () => void): void {
  try {
    work();
  } catch (error) {
    post({ kind: 'failure', request, message: error instanceof Error ? error.message : String(error) });
  }
}

function fabricOf(id: number): Fabric {
  const fabric = fabrics.get(id);
  if (!fabric) throw new Error(`there is no fabric ${id}`);
  return fabric;
}

/** A letter is a write. */
function takeLetter({ fabric, requests: [request = 0], bytes }: Letter): void {
  beat();
  attempt(request, () => write(fabricOf(fabric), request, bytes));
}

function handle(message: Exclude<ToThread, { kind: 'wake' }>): FabricStatus | 'later' | null {
  if (message.kind === 'open') {
    const fabric = new Fabric(
      message.fabric,
      new FabricHost(message.options, chipTable, systemClock, plans, makeWords, () =>
        Atomics.load(pulse, PULSE.goingOn),
      ),
    );
    fabrics.set(message.fabric, fabric);
    scheduler.add(fabric);
    longStep(chipTable);
    return null;
  }
  const fabric = fabricOf(message.fabric);
  switch (message.kind) {
    case 'reset':
      fabric.reset();
      return null;
    case 'configure':
      longStep(() => fabric.host.configure(message.bytes));
      scheduler.wake();
      return null;
    case 'status':
      return fabric.host.status();
    case 'write':
      write(fabric, message.request, message.bytes);
      return 'later';
    case 'drain':
      fabric.answerWhen(message.request, 0);
      return 'later';
    case 'ready':
      fabric.design?.ready();
      return null;
    case 'baud':
      fabric.host.setBaud(message.baud);
      return null;
    case 'observe':
    case 'record':
    case 'end-recording':
    case 'pause':
    case 'step':
      post({ kind: 'observed', request: message.request, observed: fabric.observe(message) });
      scheduler.wake();
      return 'later';
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
  beat();
  inbox.arrived();
  if (message.kind === 'wake') return;
  const { request } = message;
  attempt(request, () => {
    const status = handle(message);
    if (status !== 'later') post({ kind: 'answer', request, status });
  });
});

beat();
Atomics.store(pulse, PULSE.longStep, 0);

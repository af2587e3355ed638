import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SerialPort } from 'serialport';
import { systemClock, watchdog } from '../../../server/clock.ts';
import { closePort } from '../../../server/wishbone/close-port.ts';
import { until } from '../test-pool.ts';
import { GatewareModel } from '../wishbone/gateware-model.ts';

export const hasSocat = spawnSync('socat', ['-V']).status === 0;

/** Two real pseudo-terminals, joined: what is written into one comes out of the other. */
export class PtyPair {
  readonly here: string;
  readonly there: string;
  readonly #folder: string;
  readonly #socat: ChildProcess;

  private constructor(folder: string, socat: ChildProcess) {
    this.#folder = folder;
    this.#socat = socat;
    this.here = path.join(folder, 'here');
    this.there = path.join(folder, 'there');
  }

  static async open(): Promise<PtyPair> {
    const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-pty-'));
    const ends = ['here', 'there'].map((name) => `pty,raw,echo=0,link=${path.join(folder, name)}`);
    const socat = spawn('socat', ends, { stdio: 'ignore' });
    const pair = new PtyPair(folder, socat);
    await until(() => existsSync(pair.here) && existsSync(pair.there), 'a pair of pseudo-terminals');
    return pair;
  }

  /** Bytes that came in at one end and went out at the other so far; Linux. */
  get carried(): number {
    const counts = readFileSync(`/proc/${this.#socat.pid}/io`, 'utf8');
    return Number(/^wchar: (\d+)$/m.exec(counts)?.[1]);
  }

  /** The terminals disappear, as a device does. */
  async vanish(): Promise<void> {
    const ended = new Promise((resolve) => this.#socat.once('exit', resolve));
    if (this.#socat.exitCode === null && this.#socat.signalCode === null) {
      this.#socat.kill('SIGKILL');
      await ended;
    }
  }

  async close(): Promise<void> {
    await this.vanish();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** How a peer behaves on the line. */
interface PeerManners {
  /** Bytes that leave in one write; everything at once when absent. */
  piece?: number;
  /** Milliseconds between pieces. */
  pause?: number;
  silent?: boolean;
}

interface PeerOptions {
  /** The identity of the base SoC, if it matters. */
  identity?: { version: number; clockHz: number; baud: number };
  /** The rate at which the other side sends now, bits a second; without it every rate is understood. */
  hostRate?: () => number;
}

/** The base SoC with a memory, at the far end of a line. */
export class SerialPeer {
  readonly memory = new Map<number, number>();
  manners: PeerManners = {};
  readonly #port: SerialPort;
  readonly #model: GatewareModel;
  #sending: Promise<void> = Promise.resolve();
  #cancelSilence = () => {};
  readonly #hostRate: (() => number) | null;

  private constructor(port: SerialPort, { identity: own, hostRate }: PeerOptions) {
    this.#port = port;
    this.#hostRate = hostRate ?? null;
    const identity = { version: 1, clockHz: 12_000_000, baud: 1_000_000, buildId: '0'.repeat(16), ...own };
    this.#model = new GatewareModel(identity, {
      read: (address) => this.memory.get(address) ?? 0,
      write: (address, value) => {
        this.memory.set(address, value);
        return value;
      },
    });
    port.on('data', (bytes: Buffer) => this.#take(bytes));
    port.on('error', () => {});
  }

  static async open(file: string, options: PeerOptions = {}): Promise<SerialPeer> {
    const port = new SerialPort({ path: file, baudRate: 1_000_000, autoOpen: false });
    await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
    return new SerialPeer(port, options);
  }

  #take(bytes: Uint8Array): void {
    if (this.manners.silent) return;
    // A pseudo-terminal carries bytes at any rates: a real line does not.
    if (this.#hostRate && !this.#model.hears(this.#hostRate())) return;
    this.#cancelSilence();
    // After a pause of this process, what was on the line comes first.
    this.#cancelSilence = watchdog(systemClock, 100, 1, () => this.#model.silence());
    const answer = Buffer.from(Array.from(bytes).flatMap((byte) => this.#model.receive(byte)));
    if (answer.length > 0) this.say(answer);
  }

  say(bytes: Uint8Array): void {
    const { piece = bytes.length, pause = 0 } = this.manners;
    this.#sending = this.#sending.then(async () => {
      for (let at = 0; at < bytes.length; at += piece) {
        this.#port.write(Buffer.from(bytes.subarray(at, at + piece)));
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      }
    });
  }

  async close(): Promise<void> {
    this.#cancelSilence();
    await closePort(this.#port);
  }
}

import type { Client } from '../../../../server/contract/client/client.ts';
import type { LogEvent } from '../../../../server/contract/events/events.ts';
import { LogDocument } from './log-document.ts';

/** The source of logs. */
type LogSource = Pick<Client, 'getJobLog'>;

/** The state of reading the file. */
type LogReading = { kind: 'loading' } | { kind: 'ready' } | { kind: 'failed'; error: unknown };

/** The log of a job while a view shows it. */
export class OpenLog {
  /** A new document each time the file is read from its beginning. */
  document = new LogDocument();
  reading: LogReading = { kind: 'loading' };
  readonly fpgaId: number;
  readonly jobId: string;
  readonly #source: LogSource;
  readonly #listeners = new Set<() => void>();
  readonly #abort = new AbortController();
  #waiting: LogEvent[] = [];
  #loading = false;
  /** Snapshot identity for useSyncExternalStore: changes with every change. */
  revision = 0;

  constructor(source: LogSource, fpgaId: number, jobId: string) {
    this.#source = source;
    this.fpgaId = fpgaId;
    this.jobId = jobId;
    void this.load();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the file from its beginning, then appends text that arrived meanwhile. */
  async load(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    try {
      const { signal } = this.#abort;
      const bytes = await this.#source.getJobLog({ fpga_id: this.fpgaId, job_id: this.jobId }, { signal });
      // Count the bytes of the file: invalid UTF-8 has another length after decoding.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      const document = await LogDocument.read(text, bytes.byteLength);
      signal.throwIfAborted();
      this.document = document;
      this.reading = { kind: 'ready' };
      const waiting = this.#waiting;
      this.#waiting = [];
      if (waiting.some((event) => !this.document.append(event.offset, event.text)))
        setTimeout(() => void this.load(), 100); // the file did not have the announced text yet
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.reading = { kind: 'failed', error };
    } finally {
      this.#loading = false;
    }
    this.#changed();
  }

  /** Takes text from the event stream; a gap makes it read the file again. */
  take(events: readonly LogEvent[]): void {
    if (this.#loading) {
      this.#waiting.push(...events);
      return;
    }
    let gap = this.reading.kind !== 'ready';
    for (const event of events) if (!this.document.append(event.offset, event.text)) gap = true;
    if (gap) void this.load();
    else this.#changed();
  }

  close(): void {
    this.#abort.abort();
    this.#listeners.clear();
  }

  #changed(): void {
    this.revision += 1;
    for (const listener of this.#listeners) listener();
  }
}

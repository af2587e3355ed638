import type { Stage } from '../../../../server/contract/jobs/jobs.ts';

/** Resolves in a new task, after the page has handled events and drawn. Unlike a timer, it adds no wait. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

type Level = 'error' | 'warning' | 'note' | 'plain';

/** One line of a job's log: `[   1.234 synthesis] text`. */
export interface LogLine {
  /** The whole line of the file. */
  text: string;
  /** Line number in the log, from 1. */
  number: number;
  /** Seconds since the job's start; undefined for a line without the prefix. */
  seconds: number | undefined;
  stage: Stage | undefined;
  level: Level;
  /** Start of the text after the prefix. */
  body: number;
}

const PREFIX = /^\[\s*(\d+\.\d+) ([a-z]+)\] ?/;
const LEVEL = /^(?:(error|warning|note): |(ERROR|Warning|Info): )/;
/** The suffix of a job's last line if there are several errors. */
const MORE = / \(and \d+ more\)$/;

export function parseLine(text: string): Omit<LogLine, 'number'> {
  const prefix = PREFIX.exec(text);
  const body = prefix ? prefix[0].length : 0;
  const word = LEVEL.exec(text.slice(body, body + 12));
  const level = (word?.[1] ??
    (word?.[2] === 'ERROR' ? 'error' : word?.[2] === 'Warning' ? 'warning' : 'plain')) as Level;
  return {
    text,
    seconds: prefix ? Number(prefix[1]) : undefined,
    stage: prefix?.[2] as Stage | undefined,
    level,
    body,
  };
}

/** Characters of a log per task of the page: about 5 ms of work. */
const PIECE = 256 * 1024;

/** Length of a text in UTF-8. Logs are mostly ASCII, which allocates nothing. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else if (code >= 0xd800 && code < 0xdc00) {
      bytes += 2; // a surrogate pair: two units in UTF-16, four bytes in UTF-8
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

/**
 * The log of one job as growing lines. The file of the service is the truth: text comes with its byte offset in the
 * file, an overlap is dropped, and a gap makes the page read the file again.
 */
export class LogDocument {
  readonly lines: LogLine[] = [];
  /** Bytes of the file in `lines` and `#rest`. */
  bytes = 0;
  /** Indexes of the errors in `lines`, each once: the last line repeats the reason of a failure. */
  readonly errors: number[] = [];
  warnings = 0;
  /** Stages in order of appearance, with the time of their first line. */
  readonly stages: { stage: Stage; seconds: number }[] = [];
  /** Grows with every change, for views to compare. */
  version = 0;
  #rest = '';
  readonly #told = new Set<string>();

  /** Returns false, and takes nothing, if there is a gap before `offset`. */
  append(offset: number, text: string): boolean {
    if (offset > this.bytes) return false;
    const length = utf8Length(text);
    if (offset + length <= this.bytes) return true;
    const fresh = offset === this.bytes ? text : dropBytes(text, this.bytes - offset);
    this.bytes = offset + length;
    this.#take(fresh);
    this.version += 1;
    return true;
  }

  /** The document of a whole file of `bytes` bytes. A long one is read in pieces, so the page stays responsive. */
  static async read(text: string, bytes = utf8Length(text)): Promise<LogDocument> {
    const document = new LogDocument();
    for (let from = 0; from < text.length; from += PIECE) {
      if (from > 0) await nextTask();
      document.#take(text.slice(from, from + PIECE));
    }
    document.bytes = bytes;
    return document;
  }

  /** The job has ended: a last line without a newline counts. */
  finish(): void {
    if (this.#rest === '') return;
    this.#line(this.#rest);
    this.#rest = '';
    this.version += 1;
  }

  text(): string {
    return this.lines.map((line) => `${line.text}\n`).join('') + this.#rest;
  }

  #take(text: string): void {
    const all = this.#rest + text;
    let from = 0;
    for (let end = all.indexOf('\n', from); end !== -1; end = all.indexOf('\n', from)) {
      this.#line(
        all.charCodeAt(end - 1) === 13 && end > from ? all.slice(from, end - 1) : all.slice(from, end),
      );
      from = end + 1;
    }
    this.#rest = all.slice(from);
  }

  #line(text: string): void {
    const line: LogLine = { ...parseLine(text), number: this.lines.length + 1 };
    this.lines.push(line);
    if (line.level === 'error') this.#error(line);
    else if (line.level === 'warning') this.warnings += 1;
    const last = this.stages.at(-1);
    if (line.stage !== undefined && line.seconds !== undefined && line.stage !== last?.stage)
      if (!this.stages.some(({ stage }) => stage === line.stage))
        this.stages.push({ stage: line.stage, seconds: line.seconds });
  }

  #error({ text, body, number }: LogLine): void {
    const told = text.slice(body).replace(MORE, '');
    if (this.#told.has(told)) return;
    this.#told.add(told);
    this.errors.push(number - 1);
  }
}

/** The text without its first `bytes` UTF-8 bytes. */
function dropBytes(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded.subarray(bytes));
}

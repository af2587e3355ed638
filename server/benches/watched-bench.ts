import Type from 'typebox';
import type { Clock } from '../clock.ts';
import { checkOf, parseAs } from '../contract/check.ts';
import { type BenchView, OwnBench } from '../contract/remote/benches.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { benchesError } from '../errors/benches.ts';
import { withoutControls } from '../text.ts';
import { connectionErrorOf } from './connection-errors.ts';
import { type Place, RemoteBench, WrongAnswerError } from './remote-bench.ts';

/** Interval of polls of a live bench, ms. Including the poll's timeout, a dead one is known within 4 s. */
const LOOK_MS = 1_500;
const LOOK_TIMEOUT_MS = 2_000;
/** Maximum interval of polls of a dead one: it grows, but a return is noticed soon. */
const MAX_PAUSE_MS = 5_000;
/** Maximum answer: ten nodes with the longest texts are smaller. */
const MAX_ANSWER_BYTES = 64 * 1024;

const isOwnBench = checkOf(OwnBench);
/** The minimum that a bench of another version reports. */
const isVersioned = checkOf(
  Type.Object({
    bench_id: Type.String(),
    version: Type.String({ minLength: 1, maxLength: 64 }),
  }),
);
/** A refusal in a bench's form: a bench that lacks the route is still a bench. */
const isRefusal = checkOf(
  Type.Object({ detail: Type.Object({ error: Type.String(), message: Type.String() }) }),
);

/** The error of a bench that refuses. @param withKey whether this bench sent a key */
const refusal = (name: string, withKey: boolean): BenchError =>
  benchesError(
    'bench_refuses',
    withKey
      ? {
          message: `The bench “${name}” rejects the key that the list has for it.`,
          remedy: 'Ask its operator for a new key and put it into the list, or sign in there.',
        }
      : { message: `The bench “${name}” requires a key from this bench.` },
  );

/** The known facts about a bench before its first answer. */
export interface BenchAddress extends Place {
  readonly name: string;
  readonly found: 'settings' | 'mdns';
  /** Its announced title; null where there was none. */
  readonly title: string | null;
  /** This bench's key for it. */
  readonly key: string | null;
}

/** One line from a remote bench, without control characters and direction marks. */
const line = (text: string): string => withoutControls(text).replace(/[\t\n]/g, ' ');
const maybe = (text: string | null): string | null => (text === null ? null : line(text));

const cleaned = (own: OwnBench): OwnBench => ({
  bench_id: own.bench_id,
  title: line(own.title),
  version: line(own.version),
  enforcement: own.enforcement,
  nodes: own.nodes.map(({ fpga_id, state, owner, board, present, design }) => ({
    fpga_id,
    state,
    owner: maybe(owner),
    board: line(board),
    present,
    design: maybe(design),
  })),
});

/** Whether a node can take a design. */
export const isFree = ({ state, present }: { state: string; present: boolean }): boolean =>
  state === 'idle' && present;

/** A remote bench: polled repeatedly, with its latest answer. */
export class WatchedBench {
  readonly known: BenchAddress;
  readonly far: RemoteBench;
  /** Since when it is known, ms since the epoch. */
  readonly since: number;
  readonly #clock: Clock;
  readonly #onChange: (bench: WatchedBench) => void;
  #own: OwnBench | null = null;
  #problem: BenchError | null = null;
  #live = false;
  #lastSeen: number | null = null;
  #pause = LOOK_MS;
  #cancel = () => {};
  #closed = false;
  /** Fires when the bench is dead: pending requests will get no answer. */
  #life = new AbortController();
  #published = '';

  constructor(known: BenchAddress, clock: Clock, onChange: (bench: WatchedBench) => void) {
    this.known = known;
    this.far = new RemoteBench(known);
    this.#clock = clock;
    this.since = clock.now();
    this.#onChange = onChange;
    void this.#look();
  }

  get live(): boolean {
    return this.#live;
  }

  /** When it last answered, ms since the epoch; null for never. */
  get lastSeen(): number | null {
    return this.#lastSeen;
  }

  /** Fires when the bench is dead or removed. */
  get life(): AbortSignal {
    return this.#life.signal;
  }

  /** Its reported id; null before it reported one. */
  get id(): string | null {
    return this.#own?.bench_id ?? null;
  }

  /** Why it is not asked, while it is not live. */
  get trouble(): BenchError {
    return (
      this.#problem ??
      benchesError('bench_dead', { message: `The bench “${this.known.name}” has not answered yet.` })
    );
  }

  /** Number of nodes that can take a design. */
  get idle(): number | null {
    if (this.#own === null) return null;
    return this.#live ? this.#own.nodes.filter(isFree).length : 0;
  }

  get view(): BenchView {
    const { name, found, title } = this.known;
    const own = this.#own;
    return {
      name,
      title: own?.title ?? (title === null || line(title) === '' ? name : line(title)),
      address: this.far.address,
      found,
      state: this.#live ? 'live' : 'dead',
      last_seen: this.#lastSeen === null ? null : new Date(this.#lastSeen).toISOString(),
      bench_id: own?.bench_id ?? null,
      version: own?.version ?? null,
      enforcement: own?.enforcement ?? (this.#problem?.code === 'bench_refuses' ? true : null),
      nodes: own?.nodes ?? null,
      idle: this.idle,
      takes_work: found === 'settings',
      problem: this.#problem && {
        error: this.#problem.code,
        message: this.#problem.message,
        remedy: this.#problem.remedy,
      },
    };
  }

  /** Polls at once, e.g. because a user's request has failed. */
  lookNow(): void {
    this.#cancel();
    void this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    this.#life.abort();
    this.far.close();
  }

  #looking = false;

  async #look(): Promise<void> {
    if (this.#looking || this.#closed) return;
    this.#looking = true;
    const { key } = this.known;
    const headers = { accept: 'application/json', ...(key === null ? {} : { 'x-api-key': key }) };
    try {
      const asked = { method: 'GET', path: '/benches/own', headers };
      const limits = { timeoutMs: LOOK_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES };
      const { status, text } = await this.far.ask(asked, limits);
      this.#hear(status, text);
    } catch (error) {
      if (error instanceof WrongAnswerError) this.#own = null;
      this.#dead(connectionErrorOf(error, this.known));
    } finally {
      this.#looking = false;
    }
    if (this.#closed) return;
    this.#publish();
    this.#cancel = this.#clock.after(this.#pause, () => void this.#look());
  }

  #hear(status: number, text: string): void {
    const own = status === 200 ? parseAs(text, isOwnBench) : null;
    if (own !== null) {
      this.#own = cleaned(own);
      this.#alive(null);
    } else if (status === 401 || status === 403) {
      this.#own = null;
      this.#alive(refusal(this.known.name, this.known.key !== null));
    } else if (status === 429 || status === 503)
      this.#alive(this.#problem); // it lives, but is busy
    else this.#strange(status, text);
  }

  /** It answers, but not in a form that this version understands. */
  #strange(status: number, text: string): void {
    this.#own = null;
    const { name } = this.known;
    const version = status === 200 ? parseAs(text, isVersioned)?.version : undefined;
    if (version !== undefined)
      this.#dead(
        benchesError('bench_version', {
          message: `The bench “${name}” has version ${line(version)}, whose summary this version cannot read.`,
        }),
      );
    else if (status === 404 && parseAs(text, isRefusal) !== null)
      this.#dead(
        benchesError('bench_version', {
          message: `The bench “${name}” has a version without support for other benches.`,
        }),
      );
    else
      this.#dead(
        connectionErrorOf(
          new WrongAnswerError(`It answered with status ${status} and without the summary of a bench.`),
          this.known,
        ),
      );
  }

  #alive(problem: BenchError | null): void {
    this.#problem = problem;
    this.#pause = LOOK_MS;
    this.#lastSeen = this.#clock.now();
    if (this.#live) return;
    this.#live = true;
    this.#life = new AbortController();
  }

  #dead(problem: BenchError): void {
    if (!this.#live) this.#pause = Math.min(MAX_PAUSE_MS, this.#pause * 2);
    this.#live = false;
    this.#problem = problem;
    this.#life.abort();
  }

  /** Reports changes, apart from the time when it was last seen. */
  #publish(): void {
    const now = JSON.stringify({ ...this.view, last_seen: null });
    if (now === this.#published) return;
    this.#published = now;
    this.#onChange(this);
  }
}

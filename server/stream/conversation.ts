import { checkOf, parseAs } from '../contract/check.ts';
import type { PinList, PinSettings } from '../contract/nodes/pins.ts';
import { POLL_PLACES, STREAM_SUBSCRIPTIONS, StreamRequest } from '../contract/stream/stream.ts';
import { apiError } from '../errors/api.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { decodeFrame, encodeAnswer } from './frames.ts';
import { type NameAccess, type NamedPlace, namedAt, polledByName, transactByName, wordsAt } from './names.ts';
import { RequestQueue } from './request-queue.ts';
import type { NodeStream } from './streams.ts';
import { failureOf, type Outcome, refused } from './transaction.ts';

type RequestIdOf = Pick<StreamRequest, 'id'>;
type Subscription = Extract<StreamRequest, { poll: unknown }>;
type Transfer = Extract<StreamRequest, { op: 'read' | 'write' }>;
type PinRequest = Extract<StreamRequest, { op: 'pins' | 'set_pins' }>;

/** The pins of a stream's node. */
interface PinAccess {
  read(): Promise<PinList>;
  set(pins: PinSettings['pins']): Promise<PinList>;
}

/** Access to a node besides its words. */
export interface NodeAccess {
  pins: PinAccess;
  names: NameAccess;
}

/** A polled place; with its name where the subscription used one. */
type PolledPlace = { address: number; count: number } & Partial<Pick<NamedPlace, 'name' | 'place'>>;

const isStreamRequest = checkOf(StreamRequest);

/** One binary frame: executed and answered in its turn, valid or not. */
export function takeFrame(stream: NodeStream, frame: Uint8Array, send: (bytes: Buffer) => void): void {
  const answer = (outcome: Outcome) => send(encodeAnswer(outcome));
  const request = decodeFrame(frame);
  if (typeof request === 'string')
    stream.settled(refused(wishboneError('frame_invalid', { message: request })), answer);
  else stream.ask(request, answer);
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
const wordsOf = (outcome: Outcome) =>
  outcome.ok ? { data: Array.from(outcome.data) } : { error: outcome.error };

/** The requests of one stream of `wishbench.v1+json`, and its subscriptions. */
export class JsonConversation {
  readonly #stream: NodeStream;
  readonly #send: (text: string | Buffer) => void;
  readonly #unread: () => number;
  readonly #node: NodeAccess;
  readonly #turns: RequestQueue;
  /** Ends the reports of others' transactions. */
  #unfollow = () => {};
  /** Id of a subscription → functions that end its polls. */
  readonly #subscriptions = new Map<string, (() => void)[]>();

  /** @param unread bytes that the caller has not taken yet */
  constructor(
    stream: NodeStream,
    node: NodeAccess,
    send: (text: string | Buffer) => void,
    unread: () => number,
  ) {
    this.#stream = stream;
    this.#send = send;
    this.#unread = unread;
    this.#node = node;
    this.#turns = new RequestQueue(stream, (line) => this.#takeLine(line));
  }

  /** The lines of a message, each a request. */
  take(text: string): void {
    for (const line of text.split('\n'))
      if (line.trim() !== '' && !this.#turns.keeps(line)) this.#takeLine(line);
  }

  #takeLine(line: string): void {
    const request = parseAs(line, isStreamRequest);
    if (!request) {
      const parsed = parseAs(
        line,
        (value): value is RequestIdOf => typeof value === 'object' && value !== null,
      );
      const id = typeof parsed?.id === 'number' || typeof parsed?.id === 'string' ? parsed.id : undefined;
      const message = 'The line is not a stream request, which is a JSON object with `op` or `poll`.';
      this.#stream.settled(refused(wishboneError('frame_invalid', { message })), (outcome) =>
        this.#answer({ ...(id === undefined ? {} : { id }) }, outcome),
      );
      return;
    }
    if ('poll' in request) {
      if (request.poll.some(({ address }) => typeof address === 'string'))
        this.#turns.begin(() => this.#subscribeByName(request));
      else this.#subscribe(request, request.poll.flatMap(numericPlace));
      return;
    }
    if ('follow' in request) {
      this.#follow(request);
      return;
    }
    if (request.op === 'pins' || request.op === 'set_pins') {
      this.#turns.begin(() => this.#pins(request));
      return;
    }
    const { op, address, fixed_address: fixed = false } = request;
    if (typeof address === 'string') {
      this.#turns.begin(() => this.#byName({ ...request, address }));
      return;
    }
    const words = request.op === 'write' ? numbersOf(request.data) : [];
    if (words === null) {
      const message = 'A value can be a name only if `address` is the name of its register and field.';
      this.#stream.settled(refused(wishboneError('frame_invalid', { message })), (outcome) =>
        this.#answer(request, outcome),
      );
      return;
    }
    const data = Uint32Array.from(words);
    const count = request.op === 'write' ? data.length : (request.count ?? 1);
    const reads = op === 'read';
    this.#stream.ask({ op, address, count, data, fixed }, (outcome) => this.#answer(request, outcome, reads));
  }

  /** A request with a named address: the map is looked up in its turn. */
  async #byName(request: Transfer & { address: string }): Promise<void> {
    try {
      const { outcome, named } = await transactByName(this.#stream, this.#node.names, request);
      this.#answer(request, outcome, request.op === 'read', named);
    } catch (error) {
      this.#answer(request, refused(asBenchError(error)));
    }
  }

  async #pins(request: PinRequest): Promise<void> {
    const { pins } = this.#node;
    const head = { type: 'answer', ...(request.id === undefined ? {} : { id: request.id }) };
    try {
      const list = await (request.op === 'pins' ? pins.read() : pins.set(request.pins));
      this.#send(JSON.stringify({ ...head, ok: true, pins: list.pins }));
    } catch (error) {
      this.#send(JSON.stringify({ ...head, ok: false, error: failureOf(error) }));
    }
  }

  #answer({ id }: RequestIdOf, outcome: Outcome, reads = true, named?: string): void {
    const { ok, ms } = outcome;
    this.#send(
      JSON.stringify({
        type: 'answer',
        ...(id === undefined ? {} : { id }),
        ok,
        ...(ok && !reads ? {} : wordsOf(outcome)),
        ...(named === undefined ? {} : { named }),
        ...(ms === null ? {} : { ms: round(ms) }),
      }),
    );
  }

  #follow(request: Extract<StreamRequest, { follow: unknown }>): void {
    const { follow, after, record } = request;
    this.#stream.settled({ ok: true, data: new Uint32Array(0), ms: 0 }, (outcome) => {
      this.#unfollow();
      this.#answer(request, outcome, false);
      this.#unfollow =
        follow === null
          ? () => {}
          : this.#stream.follow({ unread: this.#unread, send: this.#send, end: () => {} }, { after, record });
    });
  }

  async #subscribeByName(request: Subscription): Promise<void> {
    try {
      const map = await this.#node.names.map();
      const places = request.poll.flatMap((place): PolledPlace[] =>
        typeof place.address === 'string'
          ? [polledByName(map, place.address, place.count)]
          : numericPlace(place),
      );
      this.#subscribe(request, places);
    } catch (error) {
      this.#answer(request, refused(asBenchError(error)));
    }
  }

  #subscribe(request: Subscription, places: readonly PolledPlace[]): void {
    const { id, every_ms: everyMs = 1000 } = request;
    const key = JSON.stringify(id ?? null);
    for (const stop of this.#subscriptions.get(key) ?? []) stop();
    this.#subscriptions.delete(key);
    const refuse = (error: ReturnType<typeof apiError>) =>
      this.#stream.settled(refused(error), (outcome) => this.#answer(request, outcome));
    if (this.#subscriptions.size >= STREAM_SUBSCRIPTIONS || places.length > POLL_PLACES) {
      refuse(apiError('too_many_open'));
      return;
    }
    if (places.some(({ address, count }) => address + 4 * count > 2 ** 32)) {
      refuse(wishboneError('address_invalid'));
      return;
    }
    const head = JSON.stringify({ type: 'change', ...(id === undefined ? {} : { id }) }).slice(0, -1);
    const stops: (() => void)[] = [];
    this.#subscriptions.set(key, stops);
    const watch = (polled: PolledPlace) => {
      let published: string | null = null;
      return this.#stream.watch(polled.address, polled.count, {
        everyMs,
        changed: (address, outcome, time) => {
          const words = changedWords(polled, outcome);
          // A change of other bits of the word is no change of the field.
          const text = JSON.stringify(words);
          if (text === published) return;
          published = text;
          const rest = { address, ...words, at: new Date(time).toISOString() };
          this.#send(`${head},${JSON.stringify(rest).slice(1)}`);
        },
      });
    };
    // Changes follow the answer, in the order of the requests.
    this.#stream.settled({ ok: true, data: new Uint32Array(0), ms: 0 }, (outcome) => {
      this.#answer(request, outcome, false);
      if (this.#subscriptions.get(key) === stops) stops.push(...places.map(watch));
      if (places.length === 0) this.#subscriptions.delete(key);
    });
  }
}

/** Words as numbers; null where one is text. */
function numbersOf(data: readonly (number | string)[]): number[] | null {
  const numbers = data.filter((word) => typeof word === 'number');
  return numbers.length === data.length ? numbers : null;
}

/** A place by address; none for one by name. */
const numericPlace = ({ address, count = 1 }: Subscription['poll'][number]): PolledPlace[] =>
  typeof address === 'number' ? [{ address, count }] : [];

/** The reported words of a polled place: for a name its own bits, with the map's value names. */
function changedWords({ name, place }: PolledPlace, outcome: Outcome): object {
  if (name === undefined || place === undefined) return wordsOf(outcome);
  if (!outcome.ok) return { name, error: outcome.error };
  const data = wordsAt(place, outcome.data);
  const named = namedAt(place, data);
  return { name, data, ...(named === undefined ? {} : { named }) };
}

/** An error outside the catalogue is a bug, reported as internal_error. */
const asBenchError = (error: unknown): BenchError =>
  error instanceof BenchError ? error : jobsError('job_crashed', { cause: error });

/** The last message of a stream: the reason for its end. */
export const endMessage = (reason: Parameters<typeof failureOf>[0]): string =>
  JSON.stringify({ type: 'end', error: failureOf(reason) });

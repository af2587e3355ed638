import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../contract/client/client.ts';
import {
  looksLikeName,
  nameOfValue,
  type Place,
  placeOf,
  valueAt,
} from '../../contract/client/register-names.ts';
import { StreamError, type TransactionStream } from '../../contract/client/stream.ts';
import type { TransactionLine } from '../../contract/client/transaction-line.ts';
import { MIN_POLL_MS, POLL_WORDS } from '../../contract/stream/stream-protocol.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJsonLine } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { byName, mapOfNode } from '../shared/register-names.ts';
import { transactionLine } from '../shared/transaction-line.ts';
import { FORMATS, wordFormat } from '../shared/word-format.ts';
import { CommandError, EXIT, LAST_WORD, nodeOf, numberOf, secondsOf, UsageError } from '../usage.ts';

/** The command `poll`: prints words whenever they change. */
export function declarePoll(line: CommandLine): void {
  line
    .asking(
      'poll <NODE> <ADDRESS> [COUNT]',
      'print words when they change',
      'wishbench poll 3 0x10 --until 1 --mask 1 --timeout 5\nwishbench poll 3 STATUS.STATE --until done',
      poll,
    )
    .option('--every <SECONDS>', 'interval of the reads', '0.1')
    .option('--until <VALUE>', 'end when the first word has this value')
    .option('--mask <MASK>', 'bits that --until compares', '0xFFFFFFFF')
    .option('--timeout <SECONDS>', 'fail after this time')
    .addOption(wordFormat());
}

/** Maximum words of a subscription: 64 places of 64 words. */
const MAX_WORDS = 64 * POLL_WORDS;

interface PollOptions extends ServiceOptions {
  every: string;
  until?: string;
  mask: string;
  timeout?: string;
  format: keyof typeof FORMATS;
}

/** Words from a byte address on, with the poll interval. */
interface Watched {
  address: number;
  count: number;
  everyMs: number;
  /** Lifetime of the session without use, seconds. */
  sessionSeconds: number;
}

type OnRead = (words: number[], time: string) => void;

/** Makes the bench poll the words, shared with other callers; resolves after a loss of the stream. */
async function subscribed(stream: TransactionStream, watched: Watched, onRead: OnRead, signal: AbortSignal) {
  const { address, count, everyMs, sessionSeconds } = watched;
  const places = Array.from({ length: Math.ceil(count / POLL_WORDS) }, (_, i) => ({
    address: address + 4 * POLL_WORDS * i,
    count: Math.min(POLL_WORDS, count - POLL_WORDS * i),
  }));
  const words: number[] = [];
  const unknown = new Set(places.map((place) => place.address));
  let fail: (reason: StreamError | null) => void = () => {};
  const failed = new Promise<StreamError | null>((resolve) => {
    fail = resolve;
  });
  const subscribe = () =>
    stream.subscribe(places, Math.max(everyMs, MIN_POLL_MS), ({ address: at, data, error, at: time }) => {
      if (error) return fail(new StreamError(error));
      for (const [i, word] of (data ?? []).entries()) words[(at - address) / 4 + i] = word;
      unknown.delete(at);
      if (unknown.size === 0) onRead([...words], time);
    });
  let end = await subscribe();
  // A poll of the bench does not renew the session; its viewer does.
  const renewal = setInterval(() => {
    subscribe().then((next) => {
      end();
      end = next;
    }, fail);
  }, sessionSeconds * 250);
  signal.addEventListener('abort', () => fail(null), { once: true });
  const reason = await Promise.race([failed, stream.closed]);
  clearInterval(renewal);
  end();
  if (reason && reason.code !== 'stream_closed') throw reason;
}

/** Reads the words repeatedly, if no stream can be opened. */
async function readAgain(line: TransactionLine, watched: Watched, onRead: OnRead, signal: AbortSignal) {
  while (!signal.aborted) {
    onRead(await line.read(watched.address, watched.count, false), new Date().toISOString());
    await sleep(watched.everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Reports the words at first and after each change, until the signal. @throws StreamError, ServiceError */
async function watch(line: TransactionLine, watched: Watched, onRead: OnRead, signal: AbortSignal) {
  while (!signal.aborted) {
    const stream = await line.stream();
    if (stream === null) return readAgain(line, watched, onRead, signal);
    await subscribed(stream, watched, onRead, signal);
  }
}

/** The polled place: an address, or a name of the map; a field has only its own bits. */
async function polledPlace(
  client: Client,
  fpga_id: number,
  address: string,
): Promise<{ at: number; place?: Place }> {
  if (!looksLikeName(address)) return { at: numberOf(address, 'ADDRESS', LAST_WORD) };
  const place = await byName(async () => placeOf(await mapOfNode(client, fpga_id), address));
  return { at: place.register.address, place };
}

/** The value of --until, as a number or by name. */
function untilOf(text: string, place: Place | undefined): number {
  const named = Object.entries(place?.field?.values ?? {}).find(
    ([, name]) => name.toLowerCase() === text.toLowerCase(),
  );
  return named ? Number(named[0]) : numberOf(text, '--until', LAST_WORD);
}

/** `poll NODE ADDRESS [COUNT]`: prints the words after each change; --until ends it when the first word has a value. */
async function poll(
  node: string,
  address: string,
  given: string | undefined,
  options: PollOptions,
): Promise<number> {
  const fpga_id = nodeOf(node);
  if (!looksLikeName(address)) numberOf(address, 'ADDRESS', LAST_WORD);
  const count = given ?? '1';
  const words = numberOf(count, 'COUNT', MAX_WORDS);
  if (words === 0) throw new UsageError(`COUNT must be a number from 1 to ${MAX_WORDS}, not “${count}”.`);
  const everyMs = 1000 * secondsOf(options.every, '--every');
  const mask = numberOf(options.mask, '--mask', LAST_WORD);
  if (options.until !== undefined && !looksLikeName(options.until))
    numberOf(options.until, '--until', LAST_WORD);
  const patience = options.timeout === undefined ? null : 1000 * secondsOf(options.timeout, '--timeout');
  const began = performance.now();
  const format = FORMATS[options.format];
  return withService(options, async (client, agent) => {
    const { limits } = await client.getStatus();
    const { at, place } = await polledPlace(client, fpga_id, address);
    const until = options.until === undefined ? null : untilOf(options.until, place);
    const line = await transactionLine(client, fpga_id, agent);
    const watched = { address: at, count: words, everyMs, sessionSeconds: limits.session_ttl_seconds };
    const ends = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let before = '';
    try {
      return await new Promise<number>((resolve, reject) => {
        const late = () => {
          const what =
            until === null
              ? `Timed out after ${options.timeout} s.`
              : `The word did not become ${format(until)} within ${options.timeout} s; it is ${before}.`;
          reject(new CommandError(what));
        };
        const onRead: OnRead = (read, time) => {
          if (ends.signal.aborted) return;
          const data = place ? read.map((word) => valueAt(place, word)) : read;
          const named = place && nameOfValue(place, data[0] ?? 0);
          const shown = [...data.map(format), ...(named === undefined ? [] : [named])].join(' ');
          if (shown !== before)
            if (options.json)
              printJsonLine({ time, address: at, data, ...(named === undefined ? {} : { named }) });
            else print(`${time}  ${shown}`);
          before = shown;
          // `>>> 0`: bit operations give signed numbers.
          if (until !== null && ((data[0] ?? 0) & mask) >>> 0 === (until & mask) >>> 0) {
            ends.abort();
            resolve(EXIT.done);
          }
          if (patience !== null)
            timer ??= setTimeout(late, Math.max(0, began + patience - performance.now()));
        };
        watch(line, watched, onRead, ends.signal).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      ends.abort();
      line.close();
    }
  });
}

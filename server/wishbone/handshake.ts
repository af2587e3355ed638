import type { Clock } from '../clock.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { composeExchange, type Exchange, verifyAnswer } from './exchange.ts';
import {
  type BlockIdentity,
  IDENTITY_READ,
  MAGIC,
  parseIdentity,
  parseStatus,
  STATUS_READ,
  takeHold,
} from './identity-block.ts';
import type { UartLine } from './uart-line.ts';

/** The board drops a partial frame after 100 ms of silence, counted in steps of 65,536 clocks of at least 12 MHz. */
const SILENCE_MS = 125;

/** How long to wait for a board that keeps sending. */
const MAX_WAIT_MS = 2_000;

const ATTEMPTS = 3;

/**
 * An invalid command byte at the first line rate. A board at a faster rate does not even see its stop bit. In both
 * cases the board ignores the line until it is silent, and then returns to the first rate.
 */
const WAKE = Uint8Array.of(0);

interface Contact {
  kind: 'contact';
  identity: BlockIdentity;
  /** The board's count of transfers, from which the link continues. */
  transfers: number;
}

/** How contact with a board begins. */
interface Approach {
  /** Stay silent before the first attempt: the board may be in the middle of a frame. */
  waitFirst: boolean;
  /** After the silence, return a board from another line rate to the first one. */
  wake?: boolean;
  attempts?: number;
  /** The board has answered on this line before: a garbled answer is not from another device. */
  known?: boolean;
}

/** The result of an attempt without an answer. */
interface Unanswered {
  kind: 'unanswered';
  received: number;
  magicSeen: boolean;
}

/**
 * Finds the board and its state. It reads the status, whose CRC covers unknown earlier bytes, and claims faults. Then
 * it reads the identity, and the status again, whose CRC must match. Nothing reaches the user's design.
 *
 * @throws BenchError link_silent, link_corrupted, not_wishbench, link_closed
 */
export async function makeContact(
  line: UartLine,
  clock: Clock,
  mark: () => number,
  { waitFirst, wake = false, attempts = ATTEMPTS, known = false }: Approach,
): Promise<Contact> {
  let last: Unanswered = { kind: 'unanswered', received: 0, magicSeen: false };
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0 || waitFirst) await quiet(line, clock);
    // Wait for silence first: in a partial write, this byte would be its last. The request wakes the board as well, so
    // later attempts need no extra byte.
    if (attempt === 0 && wake && !line.closed) {
      line.sendRaw(WAKE);
      await quiet(line, clock);
    }
    if (line.closed) throw line.closed;
    const exchange = composeExchange([STATUS_READ, takeHold(mark()), IDENTITY_READ, STATUS_READ]);
    const outcome = await ask(line, clock, exchange);
    if (line.closed) throw line.closed;
    if (outcome.kind === 'contact') return outcome;
    if (outcome.received >= last.received) last = outcome;
  }
  throw explain(last, known);
}

function explain({ received, magicSeen }: Unanswered, known: boolean): BenchError {
  if (received === 0) return wishboneError('link_silent');
  if (magicSeen || known) return wishboneError('link_corrupted');
  return wishboneError('not_wishbench', { details: { received } });
}

/** Waits until the line is silent in both directions, and drops what arrives. */
function quiet(line: UartLine, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopListening();
      cancelQuiet();
      cancelLongest();
      resolve();
    };
    let cancelQuiet = clock.after(Math.ceil(line.busyMs) + SILENCE_MS, end);
    const cancelLongest = clock.after(MAX_WAIT_MS, end);
    const stopListening = line.listen(() => {
      cancelQuiet();
      cancelQuiet = clock.after(SILENCE_MS, end);
    });
  });
}

/**
 * Sends an exchange outside the link's order and waits for its answer's length of bytes, whatever they are. False when
 * they are overdue.
 */
export function sendAside(line: UartLine, clock: Clock, exchange: Exchange): Promise<boolean> {
  return new Promise((resolve) => {
    let received = 0;
    const end = (whole: boolean) => {
      cancel();
      stopListening();
      resolve(whole);
    };
    const allowed = line.wireMs(exchange.request.length + exchange.answerLength) + line.timing.slackMs;
    const cancel = clock.after(Math.ceil(allowed), () => end(false));
    const stopListening = line.listen((bytes) => {
      received += bytes.length;
      if (received >= exchange.answerLength) end(true);
    });
    line.sendRaw(exchange.request);
  });
}

/**
 * Sends the request and finds its answer at the end of the received bytes: answers to older requests may precede it.
 */
function ask(line: UartLine, clock: Clock, exchange: Exchange): Promise<Contact | Unanswered> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const allowed = line.wireMs(exchange.request.length + exchange.answerLength) + line.timing.slackMs;
    const end = (outcome: Contact | Unanswered) => {
      cancel();
      stopListening();
      resolve(outcome);
    };
    const magic = Buffer.alloc(4);
    magic.writeUInt32BE(MAGIC);
    const cancel = clock.after(Math.ceil(allowed), () =>
      end({ kind: 'unanswered', received: received.length, magicSeen: received.includes(magic) }),
    );
    const stopListening = line.listen((bytes) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < exchange.answerLength) return;
      const data = verifyAnswer(exchange, received.subarray(-exchange.answerLength), {
        version: 0, // the versions differ in nothing that is read here
        known: false,
      });
      if (!data) return;
      const [, identityWords, statusWords] = data as [Uint32Array, Uint32Array, Uint32Array];
      const identity = parseIdentity(identityWords);
      const { transfers } = parseStatus(statusWords);
      if (identity.magic === MAGIC) end({ kind: 'contact', identity, transfers });
    });
    line.sendRaw(exchange.request);
  });
}

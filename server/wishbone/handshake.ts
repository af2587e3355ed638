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

/** The board forgets half a frame after 100 ms of silence, counted in steps of 65,536 clocks of at least 12 MHz. */
const SILENCE_MS = 125;

/** How long a board that does not stop talking is waited for. */
const MAX_WAIT_MS = 2_000;

const ATTEMPTS = 3;

/**
 * A byte that is no command, sent at the rate at which contact begins. A board whose line runs faster does not even
 * see its stop bit. Either way it is deaf until the line is silent, and then listens at the first rate again.
 */
const WAKE = Uint8Array.of(0);

interface Contact {
  kind: 'contact';
  identity: BlockIdentity;
  /** The board's count of transfers, from which the link counts on. */
  transfers: number;
}

/** How the board is approached. */
interface Approach {
  /** Be silent before the first attempt: the board may be in the middle of a frame. */
  waitFirst: boolean;
  /** After the silence, before the first attempt, have a board that may run at another rate come back to the first one. */
  wake?: boolean;
  attempts?: number;
  /** The board has answered on this line before: what comes garbled is from no other device. */
  known?: boolean;
}

/** What came back from one attempt, when it was no answer. */
interface Unanswered {
  kind: 'unanswered';
  received: number;
  magicSeen: boolean;
}

/**
 * Finds out who is at the other end, and where both sides stand: reads status (its CRC covers what we do not
 * know), claims faults, reads the identity, reads status again (its CRC must agree). Nothing of it reaches the
 * user's design.
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
    // After the silence: in the middle of a write, the byte would be its last. What is asked wakes the board as well,
    // so later attempts need no byte for it.
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

/** Waits until nothing has come for a while and nothing was sent; what comes belongs to nobody. */
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
 * Sends an exchange outside of the link's order and waits for so many bytes, whatever they are: false when they do
 * not come in time.
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

/** Sends the question and looks for its answer at the end of what comes: before it may lie what was asked before. */
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
        version: 0, // nothing is asked for at which the versions differ
        known: false,
      });
      if (!data) return;
      const [, identityWords, statusWords] = data;
      if (!identityWords || !statusWords) return;
      const identity = parseIdentity(identityWords);
      const { transfers } = parseStatus(statusWords);
      if (identity.magic === MAGIC) end({ kind: 'contact', identity, transfers });
    });
    line.sendRaw(exchange.request);
  });
}

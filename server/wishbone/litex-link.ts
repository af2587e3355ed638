import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '../clock.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { closePort } from './close-port.ts';
import { composeExchange } from './exchange.ts';
import type { Identity, TransferOptions, TransferResult, WishboneLink } from './link.ts';
import { Transfer } from './transfer.ts';
import { UartLine } from './uart-line.ts';
import { decodeWords, frameWords } from './uartbone.ts';

export interface LitexLinkOptions {
  baud: number;
  clock?: Clock;
  slackMs?: number;
  closePort?: () => Promise<void>;
}

/**
 * A link to a stock LiteX SoC: the same protocol without identity, status and CRC. It sends one burst at a time,
 * because the stock bridge drops what comes while it answers a read; a write counts as done when its bytes have
 * left; a bus fault shows as a silent line.
 */
export function openLitexLink(port: Duplex, options: LitexLinkOptions): WishboneLink {
  const clock = options.clock ?? systemClock;
  const timing = { baud: options.baud, watchdogMs: 10, slackMs: options.slackMs ?? 500 };
  const queue = new Set<Transfer>();
  let busy = false;
  let closing: Promise<void> | null = null;

  const lose = (error: BenchError) => {
    line.abandon();
    busy = false;
    for (const transfer of queue) transfer.fail(error);
    queue.clear();
  };
  const line = new UartLine(port, timing, clock, lose);

  const next = () => {
    const [transfer] = queue;
    if (busy || !transfer || line.closed) return;
    busy = true;
    const offset = transfer.sent;
    const burst = transfer.nextBurst();
    const exchange = composeExchange([burst]);
    transfer.sent += frameWords(burst);
    const done = (data?: Uint32Array) => {
      busy = false;
      transfer.confirm(offset, frameWords(burst), data);
      if (transfer.settled) queue.delete(transfer);
      next();
    };
    if (burst.op === 'read') {
      line.send(exchange, (answer) => done(decodeWords(answer)));
    } else {
      line.sendRaw(exchange.request);
      clock.after(Math.ceil(line.wireMs(exchange.request.length)), done);
    }
  };

  const start = async (
    op: 'read' | 'write',
    byteAddress: number,
    words: Uint32Array,
    options: TransferOptions,
  ): Promise<TransferResult> => {
    if (line.closed) throw line.closed;
    const transfer = new Transfer(op, byteAddress, words, options);
    if (transfer.count === 0) transfer.settle({ ok: true, data: words });
    else queue.add(transfer);
    next();
    try {
      return await transfer.result;
    } finally {
      queue.delete(transfer);
    }
  };

  return {
    read: (address, count, options = {}) => start('read', address, new Uint32Array(count), options),
    write: (address, words, options = {}) => start('write', address, words, options),
    identity: async (): Promise<Identity> => {
      throw wishboneError('not_wishbench');
    },
    close() {
      closing ??= (async () => {
        const reason = wishboneError('link_closed', { message: 'The link was closed.' });
        line.close(reason);
        lose(reason);
        await (options.closePort ?? (() => closePort(port)))();
      })();
      return closing;
    },
  };
}

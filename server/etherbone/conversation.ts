import type { NodeStream } from '../stream/streams.ts';
import { burstsOf, decodePacket, encodeProbeReply, encodeWords, MAX_PACKET_BYTES } from './packet.ts';

/** The value of a read that the design did not answer: a LiteX SoC's own bus gives it after a timeout, too. */
const NO_ANSWER = 0xffff_ffff;

/** Executes the requests of LiteX's remote protocol over a node's stream. */
export class EtherboneConversation {
  readonly #stream: NodeStream;
  readonly #send: (bytes: Buffer) => void;
  /** The received part of the next packet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: NodeStream, send: (bytes: Buffer) => void) {
    this.#stream = stream;
    this.#send = send;
  }

  /** Takes received bytes; returns a sentence for invalid ones, after which the connection is unusable. */
  take(bytes: Buffer): string | null {
    let left = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    for (;;) {
      const packet = left.length > 0 ? decodePacket(left.subarray(0, MAX_PACKET_BYTES)) : null;
      if (typeof packet === 'string') return packet;
      if (packet === null) break;
      left = left.subarray(packet.bytes);
      if (packet.probe) {
        this.#stream.settled({ ok: true, data: new Uint32Array(0), ms: 0 }, () =>
          this.#send(encodeProbeReply()),
        );
      }
      if (packet.writes) {
        const { address, data } = packet.writes;
        this.#stream.ask({ op: 'write', address, count: data.length, data, fixed: false }, () => {});
      }
      if (packet.reads) this.#read(packet.reads);
    }
    // Copy: the received chunk may be large.
    this.#rest = Buffer.from(left);
    return null;
  }

  #read({ returnAddress, addresses }: { returnAddress: number; addresses: Uint32Array }): void {
    const answer = new Uint32Array(addresses.length).fill(NO_ANSWER);
    let at = 0;
    for (const { address, count, fixed } of burstsOf(addresses)) {
      const offset = at;
      at += count;
      const last = at === addresses.length;
      this.#stream.ask({ op: 'read', address, count, data: new Uint32Array(0), fixed }, (outcome) => {
        if (outcome.ok) answer.set(outcome.data, offset);
        if (last) this.#send(encodeWords(returnAddress, answer));
      });
    }
  }
}

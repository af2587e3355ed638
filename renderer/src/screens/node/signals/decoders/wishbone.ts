import type { SignalTrace } from '../recording/trace.ts';
import { type Frame, hex, Walker } from './frames.ts';

const ROLES = ['cyc', 'stb', 'we', 'adr', 'dat_w', 'dat_r', 'ack', 'err', 'stall'] as const;
type Role = (typeof ROLES)[number];

/** The signals of a Wishbone bus. */
export type WishboneLines = { cyc: SignalTrace; ack: SignalTrace } & {
  [R in Exclude<Role, 'cyc' | 'ack'>]?: SignalTrace | undefined;
};

interface Request {
  from: number;
  write: number | undefined;
  address: number | undefined;
  data: number | undefined;
}

/** The transfers on a Wishbone bus: classic, or pipelined with `stall`. One that the recording cuts off is no frame. */
export function decodeWishbone(lines: WishboneLines): Frame[] {
  const { cyc, ack, stall } = lines;
  const frames: Frame[] = [];
  const walkers = new Map(
    ROLES.flatMap((role) => {
      const trace = lines[role];
      return trace ? [[role, new Walker(trace)] as const] : [];
    }),
  );
  const at = (role: Role, sample: number): number | undefined => walkers.get(role)?.at(sample);
  const waiting: Request[] = [];
  const requestAt = (sample: number): Request => ({
    from: sample,
    write: at('we', sample),
    address: at('adr', sample),
    data: at('dat_w', sample),
  });
  /** Frames are apart: a pipelined request begins while the one before is under way. */
  let free = 0;
  const push = (
    { from, write, address, data }: Request,
    to: number,
    read: number | undefined,
    error?: Frame['error'],
  ) => {
    const value = write === 1 ? data : error ? undefined : read;
    const width = (role: Role) => lines[role]?.field.width ?? 32;
    const text = [
      write === undefined ? '' : write === 1 ? 'W' : 'R',
      address === undefined ? '' : hex(address, width('adr')),
      value === undefined ? '' : `= ${hex(value, width(write === 1 ? 'dat_w' : 'dat_r'))}`,
    ];
    const begin = Math.max(free, from);
    if (to <= begin) return;
    free = to;
    frames.push({
      ...{ from: begin, to, text: text.filter(Boolean).join(' ') || 'cyc', data: value ?? null },
      ...(error && { error }),
    });
  };
  for (let piece = 0; piece < cyc.starts.length; piece++) {
    if (cyc.value(piece) !== 1) continue;
    const start = cyc.starts[piece] ?? 0;
    const end = cyc.starts[piece + 1] ?? cyc.end;
    for (let sample = start; sample < end; sample++) {
      const isStrobed = at('stb', sample) !== 0;
      if (stall ? isStrobed && at('stall', sample) === 0 : isStrobed && waiting.length === 0)
        waiting.push(requestAt(sample));
      // A classic master may take its strobe back.
      if (!stall && !isStrobed) waiting.length = 0;
      const isError = at('err', sample) === 1;
      if (waiting.length > 0 && (isError || at('ack', sample) === 1)) {
        const request = waiting.shift();
        if (request) push(request, sample + 1, at('dat_r', sample), isError ? 'error' : undefined);
      }
    }
    // The recording may end before the answer does.
    if (end < ack.end) for (const request of waiting) push(request, end, undefined, 'unanswered');
    waiting.length = 0;
  }
  return frames;
}

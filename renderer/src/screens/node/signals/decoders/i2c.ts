import type { SignalTrace } from '../recording/trace.ts';
import { type Frame, hex, Walker } from './frames.ts';

/** The conditions, addresses and bytes on an I²C bus. A byte that the recording cuts off is no frame. */
export function decodeI2c(scl: SignalTrace, sda: SignalTrace): Frame[] {
  const frames: Frame[] = [];
  const [clock, data] = [new Walker(scl), new Walker(sda)];
  let isOpen = false;
  let isAddress = false;
  let [count, from, byte] = [0, 0, 0];
  let [clocked, wired] = [1, 1];
  let [clockWas, dataWas] = [clock.at(0), data.at(0)];
  while (clocked < scl.starts.length || wired < sda.starts.length) {
    const at = Math.min(scl.starts[clocked] ?? Infinity, sda.starts[wired] ?? Infinity);
    if (scl.starts[clocked] === at) clocked += 1;
    if (sda.starts[wired] === at) wired += 1;
    const [clockIs, dataIs] = [clock.at(at), data.at(at)];
    const isCondition = clockWas === 1 && clockIs === 1 && dataIs !== dataWas;
    const isRise = clockWas === 0 && clockIs === 1;
    [clockWas, dataWas] = [clockIs, dataIs];
    if (isCondition) {
      // The clock is high before a condition, so the bit of that clock is none.
      if (isOpen && count > 1)
        frames.push({ from, to: at, text: hex(byte >> 1, 8), data: byte >> 1, error: 'short' });
      const to = Math.min(scl.end, at + 1);
      if (dataIs === 0) frames.push({ from: at, to, text: isOpen ? 'Sr' : 'S', data: null });
      else if (isOpen) frames.push({ from: at, to, text: 'P', data: null });
      isOpen = dataIs === 0;
      isAddress = isOpen;
      [count, byte] = [0, 0];
    } else if (isOpen && isRise) {
      if (count === 0) from = at;
      count += 1;
      if (count <= 8) byte = byte * 2 + dataIs;
      if (count < 9) continue;
      const isRefused = dataIs === 1;
      const what = isAddress ? `${hex(byte >> 1, 7)} ${byte & 1 ? 'R' : 'W'}` : hex(byte, 8);
      const value = isAddress ? byte >> 1 : byte;
      const to = scl.starts[clocked] ?? scl.end;
      // The reader refuses the last byte that it wants; an address that nobody takes is an error.
      frames.push({
        ...{ from, to, text: `${what} ${isRefused ? 'NACK' : 'ACK'}`, data: value },
        ...(isRefused && isAddress && { error: 'nack' as const }),
      });
      isAddress = false;
      [count, byte] = [0, 0];
    }
  }
  return frames;
}

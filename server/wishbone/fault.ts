import type { TransferResult } from './link.ts';

export type Fault = Extract<TransferResult, { ok: false }>['fault'];

/** An address as messages tell it. */
export const addressText = (address: number): string => `0x${address.toString(16).padStart(8, '0')}`;

/** A bus fault in words: `bus_timeout` where nothing acknowledged, `bus_error` where the design said err. */
export function describeFault({ kind, byteAddress: address }: Fault): {
  code: 'bus_timeout' | 'bus_error';
  message: string;
  address: number;
} {
  const at = addressText(address);
  return kind === 'timeout'
    ? { code: 'bus_timeout', message: `No acknowledge from the design at ${at}.`, address }
    : { code: 'bus_error', message: `The design answered with err at ${at}.`, address };
}

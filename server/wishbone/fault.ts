import type { TransferResult } from './link.ts';

export type Fault = Extract<TransferResult, { ok: false }>['fault'];

/** An address in the form of messages. */
export const addressText = (address: number): string => `0x${address.toString(16).padStart(8, '0')}`;

/** Describes a bus fault: `bus_timeout` where nothing acknowledged, `bus_error` where the design asserted err. */
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

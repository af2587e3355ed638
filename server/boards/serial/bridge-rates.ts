import type { SerialPortStream } from '@serialport/stream';
import { wishboneError } from '../../errors/wishbone.ts';
import { isNear } from '../../wishbone/line-rate.ts';
import type { PortRates } from '../../wishbone/uartbone-link.ts';
import type { SerialBridge } from '../definition.ts';

/**
 * Rates of FTDI's chips (AN_120): a base divided by 1 or more in steps of an eighth. Between the base and half of it
 * there is only two thirds. An FT2232H has a second base of 12 MHz for its faster rates.
 */
const BASES: Record<SerialBridge, readonly number[]> = {
  ft2232h: [12_000_000, 3_000_000],
  ft231x: [3_000_000],
};

/** Whether a chip supports a rate closely enough, bits a second. */
export function bridgeCan(bridge: SerialBridge, rate: number): boolean {
  return BASES[bridge].some((base) => {
    const eighths = Math.round((8 * base) / rate);
    return eighths < 16
      ? isNear(base, rate) || isNear((2 * base) / 3, rate)
      : isNear((8 * base) / eighths, rate);
  });
}

/** The port's part in changes of the line rate. @param can which rates the device behind it supports */
export function portRatesOf(port: SerialPortStream, can: (rate: number) => boolean): PortRates {
  return {
    can,
    set: (rate) =>
      new Promise((resolve, reject) => {
        port.update({ baudRate: rate }, (error) => {
          if (!error) resolve();
          else
            reject(
              wishboneError('link_corrupted', {
                cause: error,
                message: `The serial port refused ${rate} baud.`,
              }),
            );
        });
      }),
  };
}

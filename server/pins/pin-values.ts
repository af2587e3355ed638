import type { DesignPin } from '../contract/designs/uploads.ts';
import type { Pin, PinSettings } from '../contract/nodes/pins.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { drivenAt, initialOf, isSampled } from '../toolchain/slave/pins.ts';
import type { PinSnapshot } from '../wishbone/pin-block.ts';

const mask = (width: number) => (1n << BigInt(width)) - 1n;

/** A number up to 32 bits, else hexadecimal text. */
const shown = (bits: bigint, width: number): number | string =>
  width <= 32 ? Number(bits) : `0x${bits.toString(16)}`;

/** The inputs with some of them set. @throws BenchError pin_unknown, pin_not_input, pin_too_wide */
export function withPins(pins: readonly DesignPin[], driven: bigint, wanted: PinSettings['pins']): bigint {
  let bits = driven;
  for (const [name, value] of Object.entries(wanted)) {
    const pin = pins.find((one) => one.name === name);
    if (!pin) throw wishboneError('pin_unknown', { message: `The design has no pin "${name}".` });
    if (pin.direction === 'output')
      throw wishboneError('pin_not_input', { message: `${name} is an output of the design.` });
    const place = drivenAt(pin);
    if (place === null)
      throw wishboneError('pin_not_input', {
        message: `${name} is bound to ${pin.bound?.join(', ')} of the board, which drives it.`,
      });
    const part = typeof value === 'object' ? value : { value, mask: null };
    for (const given of [part.value, part.mask ?? 0])
      if (BigInt(given) > mask(pin.width)) {
        const message = `${name} has ${pin.width} bit${pin.width > 1 ? 's' : ''}; ${given} has more.`;
        throw wishboneError('pin_too_wide', { message });
      }
    const at = BigInt(place);
    const chosen = part.mask === null ? mask(pin.width) : BigInt(part.mask);
    bits = (bits & ~(chosen << at)) | ((BigInt(part.value) & chosen) << at);
  }
  return bits;
}

/** The pins for callers. @param driven bits of the inputs, in port block order */
export function describePins(pins: readonly DesignPin[], driven: bigint, seen: PinSnapshot): Pin[] {
  return pins.map((pin) => {
    const { name, direction, width, bound } = pin;
    const of = (bits: bigint, at: number) => shown((bits >> BigInt(at)) & mask(width), width);
    const ofDesign = (bits: bigint) => (isSampled(pin) ? of(bits, pin.at) : shown(0n, width));
    const set = drivenAt(pin);
    return {
      name,
      direction,
      width,
      value: isSampled(pin) ? of(seen.levels, pin.at) : of(driven, pin.at),
      ...(direction === 'inout' && {
        ...(set !== null && { released: of(driven, set) }),
        driven: of(seen.levels, pin.at + width),
      }),
      initial: shown(initialOf(pin), width),
      rose: ofDesign(seen.rose),
      fell: ofDesign(seen.fell),
      bound: bound?.join(' ') ?? null,
    };
  });
}

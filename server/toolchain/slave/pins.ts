import type { DesignPin, MatchedDesign, Port } from '../../contract/designs/uploads.ts';

/** Bits of the port block in each direction. */
export const MAX_PIN_BITS = 64;

/** Wishes of a submit by port: an initial value, or pins of the board. */
type PinWishes = Readonly<Record<string, number | string>>;

/** Why a wish cannot be met. */
interface WrongWish {
  port: string;
  problem: string;
}

/** Whether the port block samples a port: an output, an inout, or an input that a pin of the board drives. */
export const isSampled = ({ direction, bound }: Pick<DesignPin, 'direction' | 'bound'>): boolean =>
  direction !== 'input' || bound !== undefined;

/** Sampled bits of a port. An inout has its level, and a bit for each one that the design drives. */
const sampledBits = (pin: DesignPin): number =>
  isSampled(pin) ? (pin.direction === 'inout' ? 2 : 1) * pin.width : 0;

/** Driven bits of a port: an input, or an inout, that is not bound to the board. */
const drivenBits = ({ direction, bound, width }: DesignPin): number =>
  direction === 'output' || bound ? 0 : width;

/** Lowest driven bit of a port; null for a port that the bench does not drive. */
export const drivenAt = (pin: DesignPin): number | null =>
  drivenBits(pin) === 0 ? null : (pin.released_at ?? pin.at);

/** Whether a wish is a value: a number or hexadecimal text. Other text names pins of the board. */
const isValue = (wish: number | string): boolean => typeof wish === 'number' || /^0x/i.test(wish);

const bits = (width: number): string => `${width} bit${width === 1 ? '' : 's'}`;

function wishOf(
  port: Pick<Port, 'name' | 'direction' | 'width'>,
  wish: number | string,
): Partial<DesignPin> | string {
  const { name, direction, width } = port;
  if (!isValue(wish)) return { bound: String(wish).split(/[ ,]+/), high: false };
  if (direction === 'output') return `${name} is an output of the design`;
  const value = BigInt(wish);
  if (value >> BigInt(width) !== 0n) return `${name} has ${bits(width)}; ${wish} has more`;
  return { initial: `0x${value.toString(16)}` };
}

/**
 * Chooses the ports that the port block reaches: ports that are bound to the board, then the others in the order of the
 * source, as long as they fit. A port that does not fit is skipped; a smaller one after it may still fit.
 * @param ties inputs outside the bus, with their idle level
 * @param outputs outputs outside the bus
 * @param inouts inouts outside the bus; high where they idle high
 */
export function choosePins(
  ties: MatchedDesign['ties'],
  outputs: readonly Port[],
  wishes: PinWishes = {},
  inouts: readonly (Pick<Port, 'name' | 'width'> & { high: boolean })[] = [],
): { pins: DesignPin[] } | WrongWish {
  const ports: DesignPin[] = [
    ...ties.map(({ port, width, value }) => ({
      name: port,
      direction: 'input' as const,
      width,
      at: 0,
      high: value === 1,
    })),
    ...outputs.map(({ name, width }) => ({ name, direction: 'output' as const, width, at: 0, high: false })),
    ...inouts.map((port) => ({ direction: 'inout' as const, at: 0, ...port })),
  ];
  const wanted = new Map<string, Partial<DesignPin>>();
  for (const [name, wish] of Object.entries(wishes)) {
    const lower = name.toLowerCase();
    const port =
      ports.find((one) => one.name === name) ?? ports.find((one) => one.name.toLowerCase() === lower);
    if (!port) return { port: name, problem: `the design has no port ${name} outside its bus` };
    const change = wishOf(port, wish);
    if (typeof change === 'string') return { port: name, problem: change };
    wanted.set(port.name, change);
  }
  const used = { sampled: 0, driven: 0 };
  const pins: DesignPin[] = [];
  const wished = ports.map((port) => ({ ...port, ...wanted.get(port.name) }));
  for (const pin of [...wished].sort((a, b) => Number(isBound(b)) - Number(isBound(a)))) {
    const [at, released] = [used.sampled, used.driven];
    if (at + sampledBits(pin) <= MAX_PIN_BITS && released + drivenBits(pin) <= MAX_PIN_BITS) {
      used.sampled += sampledBits(pin);
      used.driven += drivenBits(pin);
      const both = sampledBits(pin) > 0 && drivenBits(pin) > 0;
      pins.push({ ...pin, at: isSampled(pin) ? at : released, ...(both && { released_at: released }) });
    } else if (wanted.has(pin.name))
      return {
        port: pin.name,
        problem: `${pin.name} does not fit: the port block has ${MAX_PIN_BITS} bits`,
      };
  }
  // Back into the order of the source.
  const order = new Map(ports.map(({ name }, at) => [name, at]));
  return { pins: pins.sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0)) };
}

const isBound = ({ bound }: Pick<DesignPin, 'bound'>): boolean => bound !== undefined;

/** Initial value of a port; 0 for a port that the bench does not drive. */
export function initialOf({
  direction,
  width,
  high,
  initial,
  bound,
}: Pick<DesignPin, 'direction' | 'width' | 'high' | 'initial' | 'bound'>): bigint {
  if (direction === 'output' || bound !== undefined) return 0n;
  if (initial !== undefined) return BigInt(initial);
  return high ? (1n << BigInt(width)) - 1n : 0n;
}

/** Initial values of all driven ports, as the bits of the port block. */
export const initialBits = (pins: readonly DesignPin[]): bigint =>
  pins.reduce((all, pin) => {
    const at = drivenAt(pin);
    return at === null ? all : all | (initialOf(pin) << BigInt(at));
  }, 0n);

/** Bits of the port block that a design needs in each direction. */
export function pinBits(pins: readonly DesignPin[]): { inputs: number; outputs: number } {
  return pins.reduce(
    ({ inputs, outputs }, pin) => ({
      inputs: Math.max(inputs, (drivenAt(pin) ?? 0) + drivenBits(pin)),
      outputs: Math.max(outputs, isSampled(pin) ? pin.at + sampledBits(pin) : 0),
    }),
    { inputs: 0, outputs: 0 },
  );
}

import type { Port } from '../../contract/designs/uploads.ts';
import type { CandidateModule } from './candidate.ts';
import { type Candidate, candidates, one } from './fitting-ports.ts';
import { type Reading, readingsOf } from './port-names.ts';

/** Clock and reset of a module, with further inputs that are the same signals. */
export interface ClocksAndResets {
  resetActiveLow: boolean;
  /** Further inputs that are the same clock by their name: `clk` next to `wb_clk_i`. */
  clocks: Port[];
  resets: { port: Port; activeLow: boolean }[];
}

/**
 * Finds the clock, the reset with its polarity, and further inputs that are the same signals. What the registers of the
 * elaborated design do with a reset shows its polarity; otherwise its name decides.
 */
export function clocksAndResets(
  module: CandidateModule,
  roles: { clk?: Port; rst?: Port },
  cost: (reading: Reading) => number,
): ClocksAndResets {
  const rank = (found: Candidate[]) =>
    found
      .filter(({ reading }) => cost(reading) <= 1)
      .sort((a, b) => cost(a.reading) - cost(b.reading) || a.reading.prefix.length - b.reading.prefix.length)
      .map(({ port }) => port);
  const named = candidates(module, 'input', ['clk'], one);
  const clocks = rank(named);
  const inputs = module.registerInputs ?? {};
  // No clock by name: take the input that most registers use as a clock.
  if (clocks.length === 0) {
    const busy = module.ports
      .filter(({ name, direction, width }) => direction === 'input' && width === 1 && total(inputs[name]) > 0)
      .filter((port) => !candidates(module, 'input', ['rst', 'rst_n'], one).some((one) => one.port === port))
      .sort((a, b) => total(inputs[b.name]) - total(inputs[a.name]));
    clocks.push(...(busy.length > 0 ? busy.slice(0, 1) : named.slice(0, 1).map(({ port }) => port)));
  }
  if (clocks[0]) roles.clk = clocks[0];

  const foundResets = candidates(module, 'input', ['rst', 'rst_n'], one);
  const ranked = rank(foundResets);
  // No reset by name: take an input that resets most registers of the clock. A rarer one may be an event from outside.
  const clocked = total(inputs[clocks[0]?.name ?? '']);
  const unnamed = module.ports.filter(
    (port) =>
      isReset(inputs[port.name]) &&
      2 * total(inputs[port.name]) > clocked &&
      !Object.values(roles).includes(port),
  );
  const resets =
    ranked.length > 0 ? ranked : [...foundResets.map(({ port }) => port), ...unnamed].slice(0, 1);
  const activeLow = (port: Port): boolean => {
    const use = inputs[port.name];
    if (use && use.rise > 0 !== use.fall > 0) return use.fall > 0;
    // Registers that are set after a reset look like the inverse: most decide, and only where the name does not.
    if (use && use.low > use.high) return true;
    return readingsOf(port.name)[0]?.stem === 'rst_n';
  };
  const [reset, ...further] = resets;
  if (reset) roles.rst = reset;
  return {
    resetActiveLow: reset !== undefined && activeLow(reset),
    clocks: clocks.slice(1),
    resets: further.map((port) => ({ port, activeLow: activeLow(port) })),
  };
}

type Use = NonNullable<CandidateModule['registerInputs']>[string] | undefined;

const total = (use: Use) => (use ? use.rise + use.fall : 0);

/** Whether an input is only an asynchronous reset. */
export const isReset = (use: Use): boolean => total(use) > 0 && use?.resets === total(use);

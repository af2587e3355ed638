/** Cycles that a random design is driven for. */
export const CYCLES = 3000;
export const INPUT_WIDTH = 16;
export const OUTPUT_WIDTH = 32;

export interface RandomDesign {
  verilog: string;
  /** Its features, for messages: `async+memory`. */
  features: string;
}

/** Numbers below n, the same for the same seed (xorshift32). */
export function generator(seed: number): (n: number) => number {
  let s = Math.imul(seed, 2654435761) >>> 0 || 1;
  return (n) => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    s >>>= 0;
    return s % n;
  };
}

interface Register {
  name: string;
  width: number;
  clock: 'clk' | 'r0[0]' | 'gclk';
  edge: 'posedge' | 'negedge';
  reset: 'none' | 'synchronous' | 'asynchronous' | 'gated';
  initial: number;
}

/**
 * A random synchronous design, module `top` (clk, 16 inputs, 32 outputs). It mixes its inputs into its state in
 * every cycle: a design that does not hides most faults. Everything starts at a given value, because the iCE40
 * starts at 0 where a simulator starts at X.
 */
export function randomDesign(seed: number): RandomDesign {
  const random = generator(seed);
  const one = (n: number) => random(n) === 0;
  const has = {
    falling: one(3),
    async: one(2),
    memory: one(2),
    derived: one(4),
    gated: one(4),
    latch: one(6),
    clockAsData: one(8),
  };
  const registers: Register[] = Array.from({ length: 3 + random(7) }, (_, i) => {
    const width = 1 + random(14);
    const clock = has.derived && i > 1 && one(4) ? 'r0[0]' : has.gated && i > 1 && one(4) ? 'gclk' : 'clk';
    const edge = has.falling && clock !== 'gclk' && one(4) ? 'negedge' : 'posedge';
    const reset = (['none', 'synchronous', 'gated'] as const)[random(3)] ?? 'none';
    return {
      name: `r${i}`,
      width,
      clock,
      edge: i === 0 ? 'posedge' : edge,
      reset: has.async && i > 0 && one(3) ? 'asynchronous' : reset,
      initial: random(2 ** width),
    };
  });
  const signals = [{ name: 'in', width: INPUT_WIDTH }, ...registers];
  const memories = has.memory
    ? Array.from({ length: 1 + random(2) }, (_, m) => {
        const width = [1, 2, 3, 4, 8, 9, 16, 20][random(8)] ?? 8;
        signals.push({ name: `q${m}`, width });
        return { width, addressWidth: 3 + random(8), edge: has.falling && one(3) ? 'negedge' : 'posedge' };
      })
    : [];

  const signal = () => signals[random(signals.length)] ?? { name: 'in', width: INPUT_WIDTH };
  const leaf = (): string => {
    const { name, width } = signal();
    if (one(6)) return `${1 + random(12)}'d${random(1024)}`;
    if (!one(3) || width <= 2) return name;
    const high = random(width);
    return `${name}[${high}:${random(high + 1)}]`;
  };
  const condition = (): string => {
    const { name, width } = signal();
    if (width === 1) return name;
    // Mostly conditions that hold half of the time: what is hardly ever enabled is hardly ever tested.
    if (one(4)) return `(${name} > ${random(2 ** width)})`;
    return one(2) ? `${name}[${random(width)}]` : `(^${name})`;
  };
  const expression = (depth: number): string => {
    if (depth <= 0) return leaf();
    const next = () => expression(depth - 1);
    switch (random(17)) {
      case 0:
      case 1:
        return `(${next()} + ${next()})`;
      case 2:
        return `(${next()} - ${next()})`;
      case 3:
        return `(${next()} & ${next()})`;
      case 4:
        return `(${next()} | ${next()})`;
      case 5:
        return `(${next()} ^ ${next()})`;
      case 6:
        return `(~${next()})`;
      case 7:
        return `(${next()} == ${next()})`;
      case 8:
        return `(${next()} < ${next()})`;
      case 9:
      case 10:
        return `(${condition()} ? ${next()} : ${next()})`;
      case 11:
        return `{${leaf()},${leaf()}}`;
      case 12:
        return `(${next()} << 1)`;
      case 13:
        return `(^${leaf()})`;
      case 14:
      case 15:
        return `(${next()} ^ {${leaf()},${leaf()}})`;
      default:
        return `(${next()} >> 2)`;
    }
  };

  const lines = [`module top(input clk, input [15:0] in, output [31:0] out);`];
  for (const { name, width, initial } of registers)
    lines.push(`  reg [${width - 1}:0] ${name} = ${initial};`);
  memories.forEach(({ width, addressWidth }, m) => {
    const words = 2 ** addressWidth;
    lines.push(
      `  reg [${width - 1}:0] m${m} [0:${words - 1}]; reg [${width - 1}:0] q${m} = 0; integer i${m};`,
      `  initial for (i${m} = 0; i${m} < ${words}; i${m} = i${m} + 1) m${m}[i${m}] = i${m} * ${1 + 2 * random(50)};`,
    );
  });
  // The gate changes while the clock is low, as a gate must.
  if (has.gated)
    lines.push(
      `  reg gate = 0; always @(negedge clk) gate <= ${condition()} ^ in[1]; wire gclk = clk & gate;`,
    );
  if (has.latch) lines.push('  reg [3:0] lt; always @* if (in[15]) lt = in[3:0];');
  registers.forEach(({ name, width, clock, edge, reset }) => {
    const mixed = `((${expression(3)}) ^ (in >> ${random(4)}) ^ (${leaf()} << ${random(6)}) ^ (${name} << 1))`;
    const next = one(5) ? expression(3) : mixed;
    const enabled = one(2) ? `if (${condition()}) ` : '';
    const value = random(2 ** width);
    const at = `${edge} ${clock}`;
    // Asynchronous resets come from inputs: from logic they would race with the simulator's order of events.
    const asynchronous = `in[${random(INPUT_WIDTH)}]`;
    const body = `${enabled}${name} <= ${next};`;
    const held = condition();
    const clauses = {
      none: `always @(${at}) ${body}`,
      synchronous: `always @(${at}) if (${held}) ${name} <= ${value}; else ${body}`,
      gated: `always @(${at}) if (${held}) begin if (${condition()}) ${name} <= ${value}; else ${name} <= ${next}; end`,
      asynchronous: `always @(${at} or posedge ${asynchronous}) if (${asynchronous}) ${name} <= ${value}; else ${body}`,
    };
    lines.push(`  ${clauses[reset]}`);
  });
  memories.forEach(({ width, addressWidth, edge }, m) => {
    const readEnable = one(2) ? `if (${condition()}) ` : '';
    lines.push(
      `  wire [${addressWidth - 1}:0] wa${m} = ${expression(2)}; wire [${addressWidth - 1}:0] ra${m} = ${expression(2)}; wire [${width - 1}:0] wd${m} = ${expression(2)};`,
      `  always @(${edge} clk) begin if (${condition()}) m${m}[wa${m}] <= wd${m}; ${readEnable}q${m} <= m${m}[ra${m}]; end`,
    );
  });
  const seen = [
    ...registers.map(
      ({ name }, i) => `({${name},20'd0} >> ${(i * 7) % 20}) ^ ({18'd0,${name}} << ${random(18)})`,
    ),
    ...memories.map((_, i) => `(q${i} << ${i * 9})`),
    ...(has.latch ? ['(lt << 25)'] : []),
    ...(has.clockAsData ? [`({31'd0, clk ^ r0[0]} << 13)`] : []),
    `(${expression(2)})`,
  ];
  lines.push(`  assign out = ${seen.join(' ^ ')};`, 'endmodule', '');
  const features = Object.entries(has)
    .filter(([, present]) => present)
    .map(([name]) => name);
  return { verilog: lines.join('\n'), features: features.join('+') || 'plain' };
}

/** Inputs of each cycle: 16 bits, the same as the test bench in icarus.ts applies. */
export function* stimulus(cycles = CYCLES): Generator<number> {
  let s = 1;
  for (let i = 0; i < cycles; i++) {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    // The first cycle opens the latches; then half of the time most bits are low, so that resets end.
    yield i === 0 ? 0x8000 : (s >>> 12) & 0xffff & ((i >> 4) & 1 ? 0xffff : 0x8f0f);
  }
}

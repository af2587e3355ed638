import { type RandomSlave, randomSlave } from './random-slave.ts';

/** Bytes that each slave has at least. */
const LEAST = 64;
/** Limit of a slave's addresses, so that all have room. */
const MOST = 2 ** 24;

/** A random design whose slave chooses between other random slaves by the upper bits of the address. */
export function randomInterconnect(random: () => number): RandomSlave {
  const slaves = Array.from({ length: 2 + Math.floor(3 * random()) }, (_, at) => {
    let slave = randomSlave(random, `part${at}`);
    while (slave.registers.some(({ address }) => address >= MOST)) slave = randomSlave(random, `part${at}`);
    return slave;
  });
  const ends = slaves.flatMap(({ registers }) => registers.map(({ address }) => address + 4));
  const size = 2 ** Math.ceil(Math.log2(Math.max(LEAST, ...ends)));
  const [wordBits, idBits] = [Math.log2(size / 4), Math.ceil(Math.log2(slaves.length))];
  const at = <T extends { address: number }>(slave: number, ones: readonly T[]) =>
    ones.map((one) => ({ ...one, address: one.address + slave * size }));
  const instances = slaves.map(({ ports, addressing, resetActiveLow }, id) => {
    const offered: Record<string, string> = {
      ...{ clk: 'clk', rst: resetActiveLow ? '~rst' : 'rst', cyc: `wb_cyc & pick${id}` },
      ...{ stb: `wb_stb & pick${id}`, we: 'wb_we', dat_w: 'wb_dat_w', sel: 'wb_sel' },
      ...{ adr: `adr${id}`, dat_r: `q${id}`, ack: `ack${id}` },
    };
    const pins = Object.entries(ports).map(([role, { name }]) => `.${name}(${offered[role]})`);
    const word = `{32'd0, wb_adr[${wordBits - 1}:0]${addressing === 'byte' ? ", 2'b00" : ''}}`;
    return `wire pick${id} = wb_adr[${wordBits + idBits - 1}:${wordBits}] == ${id};
  wire ack${id};
  wire [31:0] q${id};
  wire [${(ports['adr']?.width ?? 1) - 1}:0] adr${id} = ${word};
  part${id} u${id} (${pins.join(', ')});`;
  });
  const each = (of: (id: number) => string) => slaves.map((_, id) => of(id)).join(' | ');
  return {
    ...{ filename: 'slave.sv', addressing: 'word', ports: {}, resetActiveLow: false },
    text: `${slaves.map(({ text }) => text).join('')}module top (
  input clk, rst, wb_cyc, wb_stb, wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w, input [3:0] wb_sel,
  output [31:0] wb_dat_r, output wb_ack
);
  ${instances.join('\n  ')}
  assign wb_ack = ${each((id) => `ack${id}`)};
  assign wb_dat_r = ${each((id) => `(pick${id} ? q${id} : 32'd0)`)};
endmodule
`,
    steps: slaves.flatMap(({ steps }, id) => at(id, steps)),
    words: slaves.flatMap(({ words }) => words),
    registers: slaves.flatMap(({ registers }, id) => at(id, registers)),
  };
}

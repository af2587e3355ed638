import { afterAll, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { createVirtualBoard } from '../../../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import { everyNth } from '../../../../support/soak.ts';
import { freshToolchain, record, requestOf } from '../../../../support/toolchain/build/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const OPERATORS = {
  '<': (left: number, right: number) => left < right,
  '<=': (left: number, right: number) => left <= right,
  '>': (left: number, right: number) => left > right,
  '>=': (left: number, right: number) => left >= right,
};

/** Comparisons of a signed number of one to five bits with a constant, on either side; all of them in `npm run soak`. */
const COMPARISONS = everyNth(
  3,
  [1, 2, 3, 4, 5].flatMap((width) =>
    Object.entries(OPERATORS).flatMap(([operator, holds]) =>
      [-9, -8, -3, -2, -1, 0, 2].flatMap((constant) => {
        const variable = `$signed(a[${width - 1}:0])`;
        const signed = (a: number) => (a << (32 - width)) >> (32 - width);
        return [
          { text: `${variable} ${operator} ${constant}`, is: (a: number) => holds(signed(a), constant) },
          { text: `${constant} ${operator} ${variable}`, is: (a: number) => holds(constant, signed(a)) },
        ];
      }),
    ),
  ),
);
const WORDS = Math.ceil(COMPARISONS.length / 32);

/** Five bits of a word's address are the number; the others select 32 comparisons. */
const DESIGN = `module compare (input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [8:0] wb_adr,
  input [31:0] wb_dat_w, output reg [31:0] wb_dat_r, output reg wb_ack);
  wire [4:0] a = wb_adr[4:0];
  wire [${WORDS * 32 - 1}:0] y;
${COMPARISONS.map(({ text }, at) => `  assign y[${at}] = ${text};`).join('\n')}
  assign y[${WORDS * 32 - 1}:${COMPARISONS.length}] = 0;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    wb_dat_r <= y[wb_adr[8:5] * 32 +: 32];
  end
endmodule
`;

/** The first words of a design on the board. */
async function wordsOf(design: string, count: number): Promise<Uint32Array> {
  const { bitstream } = await toolchain.build(requestOf(design, 'design.v'), record());
  const definition = loadCatalogue().get(VIRTUAL_BOARD) ?? expect.unreachable();
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  try {
    await board.program(bitstream, { log() {}, progress() {} });
    const link = await board.openLink();
    const answer = await link.read(0, count);
    await link.close();
    return answer.ok ? answer.data : expect.unreachable();
  } finally {
    await board.close();
  }
}

test('comparisons with negative constants are correct on the board', async () => {
  const words = await wordsOf(DESIGN, WORDS * 32);
  const wrong = COMPARISONS.flatMap(({ text, is }, at) =>
    Array.from({ length: 32 }, (_, a) => a)
      .filter((a) => (((words[(at >> 5) * 32 + a] ?? 0) >>> (at & 31)) & 1) !== Number(is(a)))
      .map((a) => `${text}, a = ${a}`),
  );
  expect(wrong).toEqual([]);
});

test('a negation of a narrower negation is correct, alone and in a sum', async () => {
  const design = `module negate (input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [3:0] wb_adr,
  input [31:0] wb_dat_w, output reg [31:0] wb_dat_r, output reg wb_ack);
  wire signed [2:0] n = -$signed(wb_adr[2:0]), m = -$signed(wb_adr[3:1]);
  wire signed [4:0] alone = -n, sum = $signed(wb_adr) - m;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    wb_dat_r <= {sum, alone};
  end
endmodule
`;
  const narrow = (value: number, width: number) => (value << (32 - width)) >> (32 - width);
  const meant = Array.from({ length: 16 }, (_, adr) => {
    const [n, m] = [adr, adr >> 1].map((a) => narrow(-narrow(a, 3), 3));
    return ((narrow(adr, 4) - (m ?? 0)) & 31) * 32 + (-(n ?? 0) & 31);
  });
  expect([...(await wordsOf(design, 16))].map((word) => word & 1023)).toEqual(meant);
});

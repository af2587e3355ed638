import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Board } from '../../../../../server/boards/board.ts';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { createVirtualBoard } from '../../../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import type { WishboneLink } from '../../../../../server/wishbone/link.ts';
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

/** First word of the negations. */
const NEGATIONS = 512;

/**
 * Five bits of a word's address are the number that is compared; the next ones select 32 comparisons. The words behind
 * them are negations of the address.
 */
const DESIGN = `module signed_words (input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [9:0] wb_adr,
  input [31:0] wb_dat_w, output reg [31:0] wb_dat_r, output reg wb_ack);
  wire [4:0] a = wb_adr[4:0];
  wire [${WORDS * 32 - 1}:0] y;
${COMPARISONS.map(({ text }, at) => `  assign y[${at}] = ${text};`).join('\n')}
  assign y[${WORDS * 32 - 1}:${COMPARISONS.length}] = 0;
  wire signed [2:0] n = -$signed(wb_adr[2:0]), m = -$signed(wb_adr[3:1]);
  wire signed [4:0] alone = -n, sum = $signed(wb_adr[3:0]) - m;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    if (wb_adr[9]) wb_dat_r <= {sum, alone};
    else wb_dat_r <= y[wb_adr[8:5] * 32 +: 32];
  end
endmodule
`;

let board: Board;
let link: WishboneLink;
beforeAll(async () => {
  const { bitstream } = await toolchain.build(requestOf(DESIGN, 'design.v'), record());
  const definition = loadCatalogue().get(VIRTUAL_BOARD) ?? expect.unreachable();
  board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  await board.program(bitstream, { log() {}, progress() {} });
  link = await board.openLink();
});
afterAll(async () => {
  await link?.close();
  await board?.close();
});

/** Words of the design on the board. */
async function wordsAt(first: number, count: number): Promise<Uint32Array> {
  const answer = await link.read(4 * first, count);
  return answer.ok ? answer.data : expect.unreachable();
}

test('comparisons with negative constants are correct on the board', async () => {
  const words = await wordsAt(0, WORDS * 32);
  const wrong = COMPARISONS.flatMap(({ text, is }, at) =>
    Array.from({ length: 32 }, (_, a) => a)
      .filter((a) => (((words[(at >> 5) * 32 + a] ?? 0) >>> (at & 31)) & 1) !== Number(is(a)))
      .map((a) => `${text}, a = ${a}`),
  );
  expect(wrong).toEqual([]);
});

test('a negation of a narrower negation is correct, alone and in a sum', async () => {
  const narrow = (value: number, width: number) => (value << (32 - width)) >> (32 - width);
  const meant = Array.from({ length: 16 }, (_, adr) => {
    const [n, m] = [adr, adr >> 1].map((a) => narrow(-narrow(a, 3), 3));
    return ((narrow(adr, 4) - (m ?? 0)) & 31) * 32 + (-(n ?? 0) & 31);
  });
  expect([...(await wordsAt(NEGATIONS, 16))].map((word) => word & 1023)).toEqual(meant);
});

import { EmulatedBench } from '../support/boards/emulated-bench.ts';
import { hasChromium, launchBrowser, openPage } from '../support/browser/browser.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';
import { RECORD } from './waves.ts';

const BAUD = 1_000_000;
const DEPTH = 512;
const TIMES = 5;

/** 32 probed bits that change in every clock: the most that there can be to send and to draw. */
const SOURCE = `module restless32 (
    input  wire        clk, rst,
    input  wire        wb_cyc, wb_stb, wb_we,
    input  wire [ 3:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack
);
  (* mark_debug *) reg [31:0] noise = 32'd1;
  always @(posedge clk) begin
    noise <= {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    wb_ack <= wb_cyc & wb_stb & ~wb_ack;
    wb_dat_r <= noise;
  end
endmodule
`;

/** A capture by the core of a build on a real board, drawn in the browser: the fabric clocks every bit of the line. */
export async function measureCaptureCore(): Promise<Figure[]> {
  if (!hasChromium) return [atLeast('Chromium is installed', 0, '', 1)];
  const bench = await EmulatedBench.start({ fastest: BAUD });
  const browser = await launchBrowser();
  try {
    await bench.submit({ filename: 'restless32.v', source: SOURCE });
    const board = (await bench.client.listBoards()).boards.find(({ slot }) => slot === bench.fpga_id);
    const rate = board?.line_rate ?? Number.NaN;
    const { page } = await openPage(browser, `${bench.url}/#/node/${bench.fpga_id}/signals`, { idle: true });
    await page.getByRole('checkbox', { name: /^noise/ }).check();
    await page.getByLabel('Samples').fill(String(DEPTH));
    const times: number[] = [];
    for (let k = 0; k < TIMES; k++) times.push(await page.evaluate<number>(RECORD));
    const [last] = await bench.client.listCaptures({ fpga_id: bench.fpga_id });
    if (last?.using !== 'core' || last.samples !== DEPTH)
      throw new Error('The core has recorded something else.');
    await page.context().close();
    return [
      reported('Line of the emulated board', rate / 1e6, 'Mbaud'),
      atMost(
        `${DEPTH} × 32 bits by the capture core, from Record to drawn, median`,
        median(times) / 1000,
        's',
        10,
      ),
      reported('the same: longest', Math.max(...times) / 1000, 's'),
    ];
  } finally {
    await browser.close();
    await bench.close();
  }
}

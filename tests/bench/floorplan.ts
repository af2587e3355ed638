import type { Page } from 'playwright-core';
import { goTo, hasChromium, launchBrowser } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { atLeast, atMost, type Figure, reported } from './figure.ts';
import { forget, shown, WATCH, watched } from './page-watch.ts';

/** Registers of 32 bits, each with a look-up table a bit, in groups: with the bench they fill nine tenths of an HX8K. */
const LANES = 190;
const GROUP = 19;

/**
 * A design with lanes of 32 look-up tables and registers, in groups. No signal has thousands of readers, as in real
 * designs: the router's time for such a signal varies more than the measured difference.
 * @param ports of its own, besides the bus
 */
export const lanesSource = (lanes: number, ports = '', body = ''): string => `// Lanes beside lanes.
module lane (input clk, input [31:0] feed, output reg [31:0] state = 32'd1);
  always @(posedge clk) state <= {state[30:0], state[31]} ^ (feed & {32{feed[0]}});
endmodule

module group (input clk, input [31:0] feed, output [31:0] last);
  wire [31:0] between[0:${GROUP}];
  assign between[0] = feed;
  assign last = between[${GROUP}];
  genvar i;
  generate
    for (i = 0; i < ${GROUP}; i = i + 1) begin : lanes
      lane one (.clk(clk), .feed(between[i]), .state(between[i+1]));
    end
  endgenerate
endmodule

module full (${ports}
    input             clk,
    input             rst,
    input             wb_cyc,
    input             wb_stb,
    input             wb_we,
    input      [ 3:0] wb_adr,
    input      [31:0] wb_dat_w,
    output reg [31:0] wb_dat_r,
    output reg        wb_ack
);
  wire [31:0] between[0:${lanes / GROUP}];
  assign between[0] = wb_dat_w;
  genvar i;
  generate
    for (i = 0; i < ${lanes / GROUP}; i = i + 1) begin : groups
      group one (.clk(clk), .feed(between[i]), .last(between[i+1]));
    end
  endgenerate
  always @(posedge clk) begin
    wb_dat_r <= between[${lanes / GROUP}];
    wb_ack <= !rst && wb_cyc && wb_stb && !wb_ack;
  end
  ${body}
endmodule
`;

/** The picture is there: the canvas names its number of cells. */
const drawn = (page: Page) => page.locator('.chip canvas[data-drawn]').waitFor({ timeout: 60_000 });

/** Zooms in and out with the wheel and drags, a step in every frame. */
async function panAndZoom(page: Page): Promise<number[]> {
  const box = await page.locator('.chip').boundingBox();
  if (!box) throw new Error('The floorplan is not shown.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.waitForTimeout(1000);
  await forget(page);
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel(0, i < 30 ? -60 : 60);
    await page.waitForTimeout(16);
  }
  for (let i = 0; i < 10; i++) await page.mouse.wheel(0, -60);
  await page.mouse.down();
  for (let i = 0; i < 60; i++) {
    await page.mouse.move(x + 150 * Math.sin(i / 8), y + 150 * Math.cos(i / 8));
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  return (await watched(page)).frames;
}

/** The floorplan of a design that fills nine tenths of an HX8K: made, fetched, drawn, moved. */
export async function measureFloorplan(): Promise<Figure[]> {
  const service = await ServiceProcess.start();
  const browser = hasChromium ? await launchBrowser() : null;
  try {
    const jobId = await service.build(0, 'full.v', Buffer.from(lanesSource(LANES)), 'anonymous');
    const client = service.client();
    const build = { fpga_id: 0, job_id: jobId };
    const { utilisation, seconds } = await client.getBuildReport(build);
    const cells = utilisation.find(({ resource }) => resource === 'logic cell');
    const log = await client.getJobLog(build);
    const [, read = 'NaN'] =
      /signal names and placement read in ([\d.]+) s/.exec(new TextDecoder().decode(log)) ?? [];
    const all = Object.values(seconds).reduce((sum, one) => sum + one, 0);
    const began = performance.now();
    const plan = await client.getBuildFloorplan(build);
    const figures = [
      reported('Logic cells that are used', (100 * (cells?.used ?? 0)) / (cells?.available ?? 1), '%'),
      atMost('Names and places read, of the build’s time', (100 * Number(read)) / all, '%', 5),
      reported('Floorplan over REST', performance.now() - began, 'ms'),
      reported('the same: cells', plan.cells.length, ''),
    ];
    if (browser === null) return [...figures, atLeast('Chromium is installed', 0, '', 1)];
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    await page.goto(service.url);
    await shown(page);
    await goTo(page, '#/node/0/report');
    await page.getByRole('tab', { name: 'Floorplan' }).waitFor();
    const clicked = performance.now();
    await page.getByRole('tab', { name: 'Floorplan' }).click();
    await drawn(page);
    const until = performance.now() - clicked;
    const frames = await panAndZoom(page);
    await context.close();
    return [
      ...figures,
      atMost('From the click to the floorplan drawn', until, 'ms', 500),
      atMost('Panned and zoomed: longest frame', Math.max(...frames), 'ms', 33),
    ];
  } finally {
    await browser?.close();
    await service.close();
  }
}

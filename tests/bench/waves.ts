import type { Page } from 'playwright-core';
import type { WaveRow } from '../../server/contract/signals/waves.ts';
import { hasChromium, launchBrowser, openPage } from '../support/browser/browser.ts';
import { ServiceProcess } from '../support/browser/service.ts';
import { atLeast, atMost, type Figure, median, reported } from './figure.ts';
import { forget, tasksDuring, WATCH, watched } from './page-watch.ts';

const SIGNALS = 256;
const DEPTH = 65_536;
const TIMES = 10;
/** Two frames of a screen that shows 60 a second take 33.3 ms. */
const TWO_FRAMES = 34;

/** 256 registers: every other one changes at random, the others are bits of a counter, which change ever more seldom. */
const SOURCE = `module restless (
    input  wire        clk, rst,
    input  wire        wb_cyc, wb_stb, wb_we,
    input  wire [ 3:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack
);
  (* keep *) reg [127:0] noise = 128'd1;
  (* keep *) reg [127:0] steps = 0;
  always @(posedge clk) begin
    noise <= {noise[126:0], noise[127] ^ noise[125] ^ noise[100] ^ noise[98]};
    steps <= {steps[111:0] ^ {112{noise[7] & noise[9] & noise[31]}}, steps[127:112] + 16'd1};
    wb_ack <= wb_cyc & wb_stb & ~wb_ack;
    wb_dat_r <= noise[31:0] ^ noise[63:32] ^ noise[95:64] ^ noise[127:96]
              ^ steps[31:0] ^ steps[63:32] ^ steps[95:64] ^ steps[127:96];
  end
endmodule
`;

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, k) => `${k % 2 === 0 ? 'noise' : 'steps'}[${k >> 1}]`);

/** Two decoders of restless lines, which are recorded anyway: thousands of frames each. */
const DECODERS: readonly WaveRow[] = [
  { kind: 'decoder', protocol: 'uart', line: 'noise[0]', baud: 6_000_000 },
  { kind: 'decoder', protocol: 'spi', sck: 'noise[1]', mosi: 'noise[2]' },
];

/** Zooms and pans with the wheel, once a frame, from all samples to a few and back, through all rows. */
const MOVE = `(async () => {
  const plot = document.querySelector('.waves-plot');
  const rows = document.querySelector('.waves-scroll');
  const { left, top, width } = plot.getBoundingClientRect();
  const wheel = (more) => plot.dispatchEvent(new WheelEvent('wheel',
    { bubbles: true, cancelable: true, clientX: left + width / 3, clientY: top + 100, ...more }));
  const frame = () => new Promise(requestAnimationFrame);
  for (let round = 0; round < 4; round += 1) {
    for (let k = 0; k < 60; k += 1) { wheel({ deltaY: -80, ctrlKey: true }); await frame(); }
    for (let k = 0; k < 60; k += 1) { wheel({ deltaX: round % 2 ? -90 : 90 }); await frame(); }
    for (let k = 0; k < 60; k += 1) { rows.scrollTop += 30; await frame(); }
    for (let k = 0; k < 60; k += 1) { wheel({ deltaY: 80, ctrlKey: true }); await frame(); }
    rows.scrollTop = 0;
  }
})()`;

/** Milliseconds from the click on Record until the new recording is drawn. */
export const RECORD = `new Promise((resolve, reject) => {
  const shown = () => document.querySelector('.waves-plot')?.dataset.capture;
  const before = shown();
  const began = performance.now();
  const look = () => requestAnimationFrame(() => {
    const refused = document.querySelector('.capture-form .inline-error');
    if (refused) reject(new Error(refused.textContent));
    else if (shown() === before) look();
    else requestAnimationFrame(() => resolve(performance.now() - began));
  });
  [...document.querySelectorAll('.capture-form button')].find((one) => one.type === 'submit').click();
  look();
})`;

async function open(page: Page, service: ServiceProcess, count: number): Promise<void> {
  const client = service.client();
  const { design } = await client.getNodeDetails({ fpga_id: 0 });
  const signals = names(count).map((name) => ({ kind: 'signal' as const, name }));
  const rows: WaveRow[] = [...DECODERS, ...signals];
  await client.putDesignWaves({ design_id: design?.design_id ?? '', body: { rows } });
  await page.reload();
  await page.getByLabel('Samples').fill(String(DEPTH));
  await page.getByText(`${count} of 256 bits`).waitFor();
}

/** Waveforms in the browser: how long a recording takes to be drawn, and the frames while it is moved. */
export async function measureWaves(): Promise<Figure[]> {
  if (!hasChromium) return [atLeast('Chromium is installed', 0, '', 1)];
  const service = await ServiceProcess.start();
  const browser = await launchBrowser();
  try {
    await service.build(0, 'restless.v', SOURCE, 'anonymous');
    const { page } = await openPage(browser, `${service.url}/#/node/0/signals`, { idle: true });
    await page.addInitScript(WATCH);
    await open(page, service, 64);
    const times: number[] = [];
    for (let k = 0; k < TIMES; k++) times.push(await page.evaluate<number>(RECORD));
    await open(page, service, SIGNALS);
    const whole = await page.evaluate<number>(RECORD);
    await page.waitForTimeout(1000);
    await forget(page);
    const what = `${SIGNALS} signals × ${DEPTH} samples and two decoders, panned, zoomed and scrolled`;
    const tasks = await tasksDuring(browser, what, () => page.evaluate(MOVE));
    // Once more, because the trace of the tasks itself costs frames.
    await forget(page);
    await page.evaluate(MOVE);
    const { frames } = await watched(page);
    await page.context().close();
    return [
      atMost(`${DEPTH} × 64 bits, from Record to drawn, median`, median(times), 'ms', 1000),
      reported('the same: longest', Math.max(...times), 'ms'),
      reported(`${DEPTH} × ${SIGNALS} bits, from Record to drawn`, whole, 'ms'),
      ...tasks,
      atMost('the same: longest frame', Math.max(...frames), 'ms', TWO_FRAMES),
      reported('the same: median of frames', median(frames), 'ms'),
    ];
  } finally {
    await browser.close();
    await service.close();
  }
}

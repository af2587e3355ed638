import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { WaveRow } from '../../../server/contract/signals/waves.ts';
import { appRoot, resourcePath } from '../../../server/paths.ts';
import { E2E_TIMEOUT, goTo, launchBrowser, openPage } from './browser.ts';
import { shrinkPng } from './png.ts';
import { ServiceProcess } from './service.ts';

interface Size {
  width: number;
  height: number;
  folder: string;
}

/** Size and folder of the pictures of the documentation. */
const OF_DOCS: Size = { width: 1280, height: 800, folder: path.join(appRoot, 'docs', 'screenshots') };
/** Of those for looking at, which are not in the repository. */
const ALL: readonly Size[] = (
  [
    [390, 844],
    [1024, 768],
    [1440, 900],
    [1920, 1080],
  ] as const
).map(([width, height]) => ({
  ...{ width, height },
  folder: path.join(appRoot, '.wishbench', 'screenshots', String(width)),
}));
const example = (name: string) => readFileSync(resourcePath('examples', name));

/** A design whose bus is misspelt in one place and whose syntax is wrong in another. */
const BROKEN = `// A counter that does not build: line 9 lacks its semicolon.
module counter (
    input  wire        clk, rst,
    input  wire        wb_cyc, wb_stb, wb_we,
    input  wire [ 3:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack
)
  always @(posedge clk) wb_ack <= wb_cyc & wb_stb & ~wb_ack;
endmodule
`;

/** Ports of every kind that the panel draws. */
const KINDS = `module kinds (
    input  wire        clk, rst,
    input  wire        wb_cyc, wb_stb, wb_we,
    input  wire [ 3:0] wb_adr,
    input  wire [31:0] wb_dat_w,
    output reg  [31:0] wb_dat_r,
    output reg         wb_ack,
    input  wire [15:0] sw,
    input  wire [ 3:0] key_n,
    input  wire [ 7:0] level,
    output wire [15:0] led,
    output wire [ 7:0] display,
    output wire [ 7:0] meter
);
  assign led = sw ^ {12'd0, ~key_n};
  assign display = level;
  assign meter = level;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    wb_dat_r <= sw;
  end
endmodule
`;

/** A bench on which several people are at work. */
async function populate(service: ServiceProcess): Promise<void> {
  await Promise.all([
    service.build(0, 'echo.v', example('echo.v'), 'lab-1'),
    service.build(3, 'gpio.v', example('gpio.v'), 'ci'),
    service.build(6, 'counter.v', BROKEN, 'course-3'),
    service.build(4, 'kinds.v', KINDS, 'anonymous'),
  ]);
  await service.build(1, 'timer.v', example('timer.v'), 'course-3');
  await service.run(3, { op: 1, address: 8, data: [0xffff] }, 'ci');
  await service.run(3, { op: 1, address: 4, data: [0xabcd] }, 'ci');
  await service.run(3, { op: 2, address: 0, count: 3 }, 'ci');
}

/** Types commands into the register view. */
async function transact(page: Page, commands: readonly string[]): Promise<void> {
  const field = page.getByLabel('Read or write');
  for (const command of commands) {
    await field.fill(command);
    await field.press('Enter');
    await page.waitForTimeout(150);
  }
}

/** Builds that are started to be shown while they run. */
const underWay: Promise<string>[] = [];

/** Name of the picture → what brings the screen about. */
type Screen = [name: string, show: (page: Page, service: ServiceProcess) => Promise<void>];

const SCREENS: Screen[] = [
  [
    'bench',
    async (page, service) => {
      await goTo(page, '#/');
      underWay.push(service.build(7, 'divider.v', `// ${Date.now()}\n${example('divider.v')}`, 'lab-2'));
      await page.getByRole('link', { name: /^Node 7, building/ }).waitFor();
      await page.waitForTimeout(700);
    },
  ],
  ['wall', (page) => goTo(page, '#/wall')],
  [
    'examples',
    async (page) => {
      await goTo(page, '#/node/5');
      await page.getByRole('button', { name: 'Open echo.v' }).waitFor();
    },
  ],
  [
    'design',
    async (page) => {
      await goTo(page, '#/node/5');
      await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
      await page.setInputFiles('input[type=file]', resourcePath('examples', 'timer.v'));
      await page.getByText('fits', { exact: true }).waitFor();
      await page.locator('.cm-content').waitFor();
    },
  ],
  [
    'build',
    async (page, service) => {
      const source = `// ${Date.now()}\n${example('uart.v')}`;
      underWay.push(service.build(8, 'uart.v', source, 'lab-1'));
      await goTo(page, '#/node/8/design');
      await page
        .locator('.stage-now')
        .getByText(/Synthesis|Place|Route/)
        .waitFor({ timeout: E2E_TIMEOUT });
      await page.locator('.cm-content').waitFor();
    },
  ],
  [
    'error',
    async (page) => {
      await goTo(page, '#/node/6/design');
      await page.locator('.cm-error-line').first().waitFor();
    },
  ],
  [
    'log',
    async (page) => {
      await goTo(page, '#/node/0/log');
      await page.getByLabel('Search the log').fill('ram');
      await page.getByLabel('Search the log').press('Enter');
    },
  ],
  [
    'registers',
    async (page) => {
      await goTo(page, '#/node/3/registers');
      await page.getByRole('button', { name: 'Join session' }).click();
      await transact(page, ['0x0 x6', '0x8=0xFF', '0x4=0x5A', '0x0', '0x4', '0xC=0x81', '0x4', '0x14']);
    },
  ],
  [
    'signals',
    async (page, service) => {
      const fpga_id = 1;
      const client = service.client('course-3');
      const bus = ['cyc', 'we', 'adr', 'dat_w', 'dat_r'].map((name) => `bus.${name}`);
      const timer = ['o_wb_ack', 'count', 'reload', 'ended', 'uptime'];
      const signals = [...bus, ...timer];
      const { design } = await client.getNodeDetails({ fpga_id });
      const rows: WaveRow[] = [
        { kind: 'group', title: 'Bus' },
        ...bus.map((name): WaveRow => ({ kind: 'signal', name })),
        { kind: 'group', title: 'Timer' },
        ...timer.map((name): WaveRow => ({ kind: 'signal', name, format: 'decimal' })),
      ];
      await client.putDesignWaves({ design_id: design?.design_id ?? '', body: { rows } });
      const trigger = { kind: 'access', direction: 'write' } as const;
      const { capture_id } = await client.startCapture({
        fpga_id,
        body: { signals, trigger, depth: 4096, position: 32 },
      });
      await service.run(1, { op: 1, address: 4, data: [25] }, 'course-3');
      await service.run(1, { op: 1, address: 0, data: [20] }, 'course-3');
      await client.getCapture({ fpga_id, capture_id, wait: 30 });
      await goTo(page, '#/node/1/signals');
      const plot = page.getByRole('application', { name: /^Waveforms/ });
      await plot.waitFor();
      for (let k = 0; k < 9; k++) await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByRole('button', { name: 'To the trigger' }).click();
      await page.getByRole('button', { name: 'reload', exact: true }).click();
      const { width = 0 } = (await plot.boundingBox()) ?? {};
      await plot.click({ position: { x: 0.34 * width, y: 100 } });
      await plot.click({ position: { x: 0.48 * width, y: 100 }, modifiers: ['Shift'] });
    },
  ],
  [
    'panel',
    async (page, service) => {
      const client = service.client('anonymous');
      await client.setPins({ fpga_id: 4, body: { pins: { sw: 0x2d8b, level: 0xa7 } } });
      await goTo(page, '#/node/4/panel');
      await page.getByRole('meter', { name: 'meter' }).waitFor();
    },
  ],
  ['report', (page) => goTo(page, '#/node/1/report')],
  [
    'floorplan',
    async (page) => {
      await goTo(page, '#/node/1/floorplan');
      await page.locator('.chip canvas[data-drawn]').waitFor();
    },
  ],
  ['history', (page) => goTo(page, '#/node/3/history')],
  ['jobs', (page) => goTo(page, '#/jobs')],
  [
    'boards',
    async (page) => {
      await goTo(page, '#/boards');
      await page.getByRole('button', { name: /^Run checks/ }).click();
      await page.getByRole('button', { name: 'Run checks again' }).waitFor({ timeout: 30_000 });
    },
  ],
  [
    'settings',
    async (page) => {
      await goTo(page, '#/settings');
      await page.locator('.settings-section:nth-of-type(3)').waitFor();
    },
  ],
  [
    'palette',
    async (page) => {
      await goTo(page, '#/node/0/registers');
      await page.getByRole('tab', { name: 'Registers' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('node');
    },
  ],
  [
    'shortcuts',
    async (page) => {
      await page.keyboard.press('Escape');
      await goTo(page, '#/node/0/report');
      await page.getByRole('tab', { name: 'Report' }).focus();
      await page.keyboard.press('?');
    },
  ],
];

/** Screens that the documentation does not show. */
const MORE: Screen[] = [
  [
    'plot',
    async (page) => {
      await page.keyboard.press('Escape');
      await goTo(page, '#/node/3/registers');
      await page.locator('label', { hasText: /^Plot$/ }).click();
      for (const name of ['0x0000', '0x0004'])
        await page.getByRole('button', { name: `Plot ${name}`, exact: true }).click();
      await page.locator('.plot canvas').waitFor();
    },
  ],
  ['memory', (page) => page.locator('label', { hasText: /^Memory$/ }).click()],
  [
    'script',
    async (page) => {
      await page.locator('label', { hasText: /^Script$/ }).click();
      await page.getByRole('button', { name: 'Create from transactions' }).click();
    },
  ],
  ['builds', (page) => goTo(page, '#/builds')],
  ['courses', (page) => goTo(page, '#/courses')],
  ['audit', (page) => goTo(page, '#/audit')],
];

async function take(
  browser: Browser,
  service: ServiceProcess,
  scheme: 'light' | 'dark',
  { width, height, folder }: Size,
  screens: readonly Screen[],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { page, complaints } = await openPage(browser, service.url, {
    colorScheme: scheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  await page.locator('.card-link').first().waitFor();
  for (const [name, show] of screens) {
    await show(page, service);
    await page.getByText('Loading…', { exact: true }).first().waitFor({ state: 'hidden' });
    await page.waitForTimeout(500);
    const png = shrinkPng(await page.screenshot());
    const file = path.join(folder, `${name}-${scheme}.png`);
    writeFileSync(file, png);
    process.stdout.write(`${path.relative(appRoot, file)} ${Math.round(png.length / 1024)} KiB\n`);
  }
  await Promise.all(underWay.splice(0));
  await Promise.all([7, 8].map((node) => service.free(node)));
  for (const complaint of complaints.list) process.stderr.write(`${complaint}\n`);
  await page.context().close();
}

/**
 * Pictures of the documentation, light and dark, of the real service with virtual boards: `npm run screenshots`.
 * `--all` makes those of every screen at four widths instead, for looking at.
 */
export default async function screenshots(args: string[]): Promise<number> {
  const all = args.includes('--all');
  const [service, browser] = await Promise.all([ServiceProcess.start(), launchBrowser()]);
  try {
    await populate(service);
    for (const size of all ? ALL : [OF_DOCS])
      for (const scheme of ['light', 'dark'] as const)
        await take(browser, service, scheme, size, all ? [...SCREENS, ...MORE] : SCREENS);
  } finally {
    await browser.close();
    await service.close();
  }
  return 0;
}

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findings, findingsInThemes } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';

/** How many pixels of the picture are of a colour other than the one in its corner, once what was asked is drawn. */
const DRAWN = `new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))).then(() => {
  const canvas = document.querySelector('.waves-plot canvas');
  if (!canvas || canvas.width === 0) return 0;
  const { data } = canvas.getContext('2d').getImageData(0, 30, canvas.width, canvas.height - 30);
  const pixels = new Uint32Array(data.buffer);
  return pixels.filter((pixel) => pixel !== pixels[pixels.length - 1]).length;
})`;

const TALKER = {
  filename: 'talker.v',
  source: readFileSync(new URL('../../support/capture/talker.v', import.meta.url), 'utf8'),
};

/** The text next to a signal's name. */
const shownOf = (page: Page, name: string): Promise<string> =>
  page
    .locator('.waves-row', { has: page.getByRole('button', { name, exact: true }) })
    .locator('.waves-value')
    .innerText();

describe.skipIf(!hasChromium)('the signals of a running design', IN_BROWSER, () => {
  const PROBED = { filename: 'timer.v', source: example('timer.v'), options: { probes: 'count, bus.cyc' } };
  const bench = startBench(['timer.v', PROBED, TALKER], async (service) => {
    await service.build(1, 'timer.v', example('timer.v'), 'anonymous');
    await service.build(3, TALKER.filename, TALKER.source, 'anonymous');
    const nobody = service.client('anonymous');
    const file = { name: PROBED.filename, contents: PROBED.source };
    await nobody.jobEnded(await nobody.submitDesign({ fpga_id: 2, body: { file, ...PROBED.options } }));
  });
  const client = () => bench.service.client();
  const watched = async () => {
    const { design } = await client().getNodeDetails({ fpga_id: 1 });
    return { design_id: design?.design_id ?? '' };
  };

  test('captures a write: current values, trigger, waveforms, cursors, search, source', async () => {
    await client().putDesignWaves({ ...(await watched()), body: { rows: [] } });
    const { page, complaints } = await bench.open('/#/node/1/signals');
    await page.getByText('Choose signals to watch').waitFor();
    await page.getByRole('checkbox', { name: /^reload/ }).check();
    await page.getByRole('button', { name: 'Watch all of Bus of the bench' }).click();
    await bench.service.run(1, { op: 1, address: 4, data: [0xcafe] }, 'anonymous');
    // The present value, without a recording.
    await expect.poll(() => shownOf(page, 'reload')).toBe('0x0000_CAFE');

    await page.getByLabel('Trigger', { exact: true }).selectOption('An access on the bus');
    await page.getByLabel('Address', { exact: true }).fill('0x4');
    await page.getByLabel('Direction').selectOption('Write');
    await page.getByLabel('Samples').fill('200');
    await page.getByLabel('Before the trigger').fill('40');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('Waiting for the trigger').waitFor();
    await bench.service.run(1, { op: 1, address: 4, data: [0x1234] }, 'anonymous');
    const plot = page.getByRole('application', { name: /^Waveforms/ });
    await plot.waitFor();
    await expect.poll(() => page.evaluate(DRAWN)).toBeGreaterThan(500);
    await page.getByText('1 transfer', { exact: true }).waitFor();

    // The next change of `reload` is what was written, found by the keyboard.
    await page.getByRole('button', { name: 'reload', exact: true }).click();
    await page.getByText('timer.v:23').waitFor();
    await page.getByText('reg [31:0] count = 0, reload = 0').waitFor();
    await plot.focus();
    await page.keyboard.press('n');
    await expect.poll(() => shownOf(page, 'reload')).toBe('0x0000_1234');
    await expect.poll(() => page.locator('.cursor-a').innerText()).toMatch(/^A [\d.]+ [nµm]s\s+\d+ clk$/);
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => shownOf(page, 'reload')).toBe('0x0000_CAFE');
    await plot.click({ position: { x: 10, y: 60 }, modifiers: ['Shift'] });
    await page
      .getByText(/Δ/)
      .getByText(/[nµ]s$/)
      .waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Find in reload').selectOption('value');
    await page.getByLabel('Value to find').fill('99');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('No further match.').waitFor();

    // Zoomed by wheel and keys it is another picture, and goes back.
    await plot.focus();
    await page.keyboard.press('0');
    const whole = await page.evaluate(DRAWN);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(() => page.evaluate(DRAWN)).not.toBe(whole);
    await page.keyboard.press('0');
    await expect.poll(() => page.evaluate(DRAWN)).toBe(whole);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the recording as VCD' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('timer-1.vcd');
    await page.getByRole('link', { name: 'timer.v:23' }).click();
    await page.getByLabel('Source of timer.v').waitFor();
    expect(complaints.list).toEqual([]);
  });

  test('order, groups and formats are saved with the design; viewers see them read-only', async () => {
    const { page } = await bench.open('/#/node/1/signals');
    // The row of the bus comes with the recording, and moves those below it.
    await page.getByText('1 transfer', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'reload', exact: true }).click();
    await page.getByLabel('Format of reload').selectOption('Decimal');
    await expect.poll(() => shownOf(page, 'reload')).toBe('4_660');
    await page.getByRole('button', { name: 'Group from here' }).click();
    await page.getByRole('button', { name: 'Group', exact: true }).waitFor();
    const design = await watched();
    await expect
      .poll(async () => (await client().getDesignWaves(design))?.rows.slice(0, 2))
      .toEqual([
        { kind: 'group', title: 'Group' },
        { kind: 'signal', name: 'reload', format: 'decimal' },
      ]);
    const { page: other, complaints } = await bench.open('/#/node/1/signals', { as: 'bob' });
    await expect.poll(() => shownOf(other, 'reload')).toBe('4_660');
    await other.getByText('Only the holder can record').waitFor();
    expect(await other.getByRole('button', { name: 'Record', exact: true }).isDisabled()).toBe(true);
    expect(await other.getByRole('button', { name: 'Pause', exact: true }).isDisabled()).toBe(true);
    // Another user's recording appears at once.
    const recording = () =>
      other.getByRole('application', { name: /^Waveforms/ }).getAttribute('data-capture');
    const before = await recording();
    await page.getByLabel('Trigger', { exact: true }).selectOption('Now');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await expect.poll(recording).not.toBe(before);
    expect(complaints.list).toEqual([]);
  });

  test('the clock pauses, steps and runs until the trigger; a trigger that never fires is cancelled', async () => {
    const { page, complaints } = await bench.open('/#/node/1/signals');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const state = page.locator('.clock-state');
    await state.getByText('paused at').waitFor();
    const before = (await client().getBoardClock({ fpga_id: 1 })).clock;
    await page.getByLabel('Clocks of a step').fill('25');
    await page.getByRole('button', { name: 'Step', exact: true }).click();
    await expect.poll(async () => (await client().getBoardClock({ fpga_id: 1 })).clock).toBe(before + 25);
    await page.getByLabel('Trigger', { exact: true }).selectOption('A rising edge');
    await page.getByLabel('Trigger signal').fill('bus.cyc');
    await page.getByRole('button', { name: 'Run until the trigger' }).click();
    await state.getByText('running').waitFor();
    const run = client().runTransaction({ fpga_id: 1, body: { op: 2, address: 0 } });
    await state.getByText('paused at').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await state.getByText('running').waitFor();
    // Its access is over: it does not fire the next trigger.
    await client().jobEnded(await run);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Record', exact: true }).waitFor();
    expect((await client().listCaptures({ fpga_id: 1 }))[0]?.state).toBe('cancelled');
    expect(complaints.list).toEqual([]);
  });

  test('is readable in both themes and at 390 pixels', async () => {
    await client().startCapture({ fpga_id: 1, body: { signals: ['reload', 'uptime'] } });
    const { page } = await bench.open('/#/node/1/signals', { viewport: { width: 390, height: 780 } });
    await page.getByRole('application', { name: /^Waveforms/ }).waitFor();
    await page.getByRole('button', { name: 'reload', exact: true }).click();
    expect(await findingsInThemes(page)).toEqual([]);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const beyond = `Math.max(...['.signals', '.waves', '.waves-scroll'].map((name) => {
      const { scrollWidth, clientWidth } = document.querySelector(name);
      return scrollWidth - clientWidth;
    }))`;
    await expect.poll(() => page.evaluate(beyond)).toBeLessThanOrEqual(0);
  });

  test('on a virtual board the capture core records its probes; current values remain available', async () => {
    const { design } = await client().getNodeDetails({ fpga_id: 2 });
    await client().putDesignWaves({ design_id: design?.design_id ?? '', body: { rows: [] } });
    const { page, complaints } = await bench.open('/#/node/2/signals');
    await page.getByRole('checkbox', { name: /^uptime/ }).check();
    await page.getByLabel('Samples').fill('65536');
    await page.getByLabel('Recorded by').selectOption({ label: 'the capture core' });
    await expect.poll(() => page.getByLabel('Samples').inputValue()).toBe('512');
    expect(await page.getByLabel('Clock afterwards').count()).toBe(0);
    await page.getByText('Choose signals in the list first.').waitFor();
    await page.getByRole('checkbox', { name: /^count/ }).check();
    await page.getByRole('checkbox', { name: /^cyc/ }).check();
    await page.getByText('33 of 33 bits that are probed').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('Trigger', { exact: true }).selectOption('An access on the bus');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('Waiting for the trigger').waitFor();
    await bench.service.run(2, { op: 1, address: 0, data: [77] }, 'anonymous');
    await page.getByRole('application', { name: /^Waveforms/ }).waitFor();
    const [capture] = await client().listCaptures({ fpga_id: 2 });
    expect(capture).toMatchObject({ using: 'core', state: 'complete', samples: 512 });
    await expect.poll(() => shownOf(page, 'count')).toBe('0x0000_0000');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/^paused at/).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    expect(complaints.list).toEqual([]);
  });

  test('of a design that sends text: adds a decoder, searches its rows and exports CSV; saves captures and compares them', async () => {
    const nobody = bench.service.client('anonymous');
    const { design } = await nobody.getNodeDetails({ fpga_id: 3 });
    const design_id = design?.design_id ?? '';
    await nobody.putDesignWaves({
      design_id,
      body: {
        rows: [
          { kind: 'signal', name: 'wave', curve: 'linear' },
          { kind: 'signal', name: 'tx' },
        ],
      },
    });
    const { page, complaints } = await bench.open('/#/node/3/signals');
    await page.getByRole('button', { name: 'Add a decoder' }).click();
    // The line is guessed by its name.
    await expect.poll(() => page.getByLabel('Line', { exact: true }).inputValue()).toBe('tx');
    await page.getByLabel('Title').fill('Console');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Samples').fill('4000');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const plot = page.getByRole('application', { name: /^Waveforms/ });
    await plot.waitFor();
    await expect.poll(() => shownOf(page, 'Console')).toMatch(/^\d+ frames, 750,000 Bd$/);

    await page.getByRole('button', { name: 'Decoded rows' }).click();
    const table = page.getByRole('table', { name: 'Decoded rows' });
    await page.getByLabel('Search decoded rows').fill('0x48 H');
    await table.getByRole('cell', { name: '0x48 H' }).first().waitFor();
    // By the keyboard: the row's time goes there.
    await table
      .getByRole('row', { name: /0x48 H/ })
      .first()
      .getByRole('button')
      .press('Enter');
    await expect.poll(() => shownOf(page, 'Console')).toBe('0x48 H');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('talker-3.csv');

    // Cursors measure the line; a marker stays with the design.
    await page.getByRole('button', { name: 'tx', exact: true }).click();
    await plot.click({ position: { x: 20, y: 100 } });
    await plot.click({ position: { x: 320, y: 100 }, modifiers: ['Shift'] });
    await page.getByText(/^tx \d+ edges · .*duty/).waitFor();
    await plot.focus();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Markers (1)' }).waitFor();

    await page.getByRole('button', { name: 'Keep…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Reference');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await nobody.listDesignCaptures({ design_id })).length).toBe(1);
    const recording = () => plot.getAttribute('data-capture');
    const reference = await recording();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await expect.poll(recording).not.toBe(reference);
    await page.getByLabel('Compare with').selectOption('Reference');
    await page.getByRole('button', { name: 'wave', exact: true }).click();
    await page.getByLabel('Find in wave').selectOption('difference');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => shownOf(page, 'wave')).toMatch(/≠/);

    const border = page.getByRole('separator', { name: 'Width of the names of signals' });
    const width = () => border.getAttribute('aria-valuenow');
    const before = Number(await width());
    await border.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(String(before + 16));
    expect(await findingsInThemes(page)).toEqual([]);
    expect(complaints.list).toEqual([]);
  });

  test('a typed two-step trigger captures where the second step completes', async () => {
    const { page, complaints } = await bench.open('/#/node/3/signals');
    await page.getByLabel('Trigger', { exact: true }).selectOption('Several steps');
    const [one, two] = [page.getByLabel('Step 1'), page.getByLabel('Step 2')];
    await one.getByLabel('Condition').selectOption('access on the bus');
    await two.getByLabel('Condition').selectOption('is in a range');
    await two.getByLabel('Trigger signal').fill('wave');
    await two.getByLabel('From').fill('0xF0');
    await two.getByLabel('To', { exact: true }).fill('0xFF');
    await two.getByLabel('Within').fill('5000');
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByText('Waiting for the trigger').waitFor();
    await bench.service.run(3, { op: 2, address: 0 }, 'anonymous');
    await page.getByRole('button', { name: 'To the trigger' }).waitFor();
    // The trigger is shown before the last samples after it are recorded.
    const newest = async () => (await bench.service.client().listCaptures({ fpga_id: 3 }))[0];
    await expect.poll(newest).toMatchObject({ state: 'complete', trigger: { kind: 'sequence' } });
    // The waveforms get the room of the form.
    await page.getByRole('button', { name: 'Hide settings' }).click();
    await page.getByRole('group', { name: 'Steps of the trigger' }).waitFor({ state: 'hidden' });
    expect(complaints.list).toEqual([]);
  });

  test('cursor A of the waves is marker A of the plot, and the other way round', async () => {
    const nobody = bench.service.client('anonymous');
    const { page, complaints } = await bench.open('/#/node/1/registers', {
      viewport: { width: 1440, height: 900 },
    });
    const command = page.getByLabel('Read or write');
    await command.fill('0xC');
    await command.press('Enter');
    await page.getByLabel('Poll every').selectOption('0.05');
    await page.getByRole('button', { name: 'Poll 0x000C' }).click();
    await page.getByRole('button', { name: 'Plot 0x000C', exact: true }).click();
    // Two seconds, of which the plot has samples.
    const body = { signals: ['uptime'], depth: 2000, every: 12_000 };
    const { capture_id } = await nobody.startCapture({ fpga_id: 1, body });
    await nobody.getCapture({ fpga_id: 1, capture_id, wait: 60 });
    await page.getByRole('tab', { name: 'Signals' }).click();
    const waves = page.getByRole('application', { name: /^Waveforms/ });
    await expect.poll(() => waves.getAttribute('data-capture')).toBe(capture_id);
    await waves.focus();
    await page.keyboard.press('a');
    const at = () =>
      page
        .locator('.waves-cursors')
        .getByText(/^at \d/)
        .innerText();
    const time = (await at()).slice('at '.length);

    await page.getByRole('tab', { name: 'Registers' }).click();
    const marker = page.getByRole('columnheader', { name: 'A', exact: true });
    await expect.poll(() => marker.getAttribute('title')).toBe(time);
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('button', { name: 'Clear markers' }).click();
    await marker.waitFor({ state: 'detached' });

    // Two places of the plot and their times give the place of a time.
    const box = await page.getByRole('application', { name: /0x000C/ }).boundingBox();
    if (!box) throw new Error('There is no plot.');
    const secondsOf = (text: string) => text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
    const timeAt = async (x: number) => {
      await page.mouse.move(box.x + x, box.y + 60);
      const text = page.locator('.plot-readout > span').first();
      await text.waitFor();
      return secondsOf(await text.innerText());
    };
    const [first, last] = [120, box.width - 60];
    const [from, to] = [await timeAt(first), await timeAt(last)];
    const place = first + ((secondsOf(time) - from) / (to - from)) * (last - first);
    await page.mouse.click(box.x + place, box.y + 60);
    const marked = await marker.getAttribute('title');
    expect(Math.abs(secondsOf(marked ?? '') - secondsOf(time))).toBeLessThan(0.5);
    await page.getByRole('tab', { name: 'Signals' }).click();
    // At the nearest sample, which are a millisecond apart.
    const apart = async () => Math.abs(secondsOf((await at()).slice('at '.length)) - secondsOf(marked ?? ''));
    await expect.poll(apart).toBeLessThan(0.003);
    expect(complaints.list).toEqual([]);
  });
});

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { CalledService } from '../../support/api/called-service.ts';
import { allFindings, wear } from '../../support/browser/axe.ts';
import { example, startBench } from '../../support/browser/bench.ts';
import { BUILD_TIMEOUT, goTo, hasChromium, IN_BROWSER, pressAll } from '../../support/browser/browser.ts';
import { everyNth, SOAK } from '../../support/soak.ts';

const sideways = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Words of tables and headings that break over more than one line. */
const BROKEN_WORDS = `(() => {
  const broken = [];
  for (const part of document.querySelectorAll('.main-detail :is(th, td, h1, h2, h3, dt, label)')) {
    // Headings of columns that are there for readers of the screen alone.
    if (getComputedStyle(part.closest('thead') ?? part).clipPath !== 'none') continue;
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const { 0: word, index } of node.data.matchAll(/(?<=^|\\s)\\p{L}{2,14}(?=\\s|$)/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
      }
  }
  return broken;
})()`;

/** The element with the focus, and whether the focus is visible. */
const FOCUS = `(() => {
  const element = document.activeElement ?? document.body;
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const after = getComputedStyle(element, '::after').outlineStyle;
  return {
    text: element.textContent ?? '',
    name: element.getAttribute('aria-label'),
    seen: outlineStyle !== 'none' || boxShadow !== 'none' || (after !== 'none' && after !== ''),
  };
})()`;

const NO_SLAVE = 'module one(input a, output b);\nassign b = a;\nendmodule\n';

/** States in which people meet the screens, and what brings them about. */
const STATES: [name: string, show: (page: Page, service: CalledService) => Promise<void>][] = [
  [
    'a finding in a source that was chosen',
    async (page) => {
      await goTo(page, '#/node/5');
      await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
      const file = { name: 'one.v', mimeType: 'text/plain', buffer: Buffer.from(NO_SLAVE) };
      await page.setInputFiles('input[type=file]', file);
      await page.getByText('No module is a usable Wishbone slave.').waitFor();
      await page.locator('.cm-error-line').first().waitFor();
    },
  ],
  [
    'the doctor',
    async (page) => {
      await goTo(page, '#/boards');
      await page.getByRole('button', { name: /^Run checks/ }).click();
      await page.getByRole('button', { name: 'Run checks again' }).waitFor();
    },
  ],
  [
    'busy cards, and one that waits in line',
    async (page, service) => {
      const client = service.client('lab-2');
      const contents = example('divider.v');
      await drawn(page, '#/', 'Nodes');
      await client.submitDesign({ fpga_id: 8, body: { file: { name: 'divider.v', contents } } });
      await client.submitToAnyNode({ body: { file: { name: 'waits.v', contents }, fpga_id: 0 } });
      await page.getByRole('link', { name: /^Node 8, (queued|building)/ }).waitFor();
      await page.getByText('1 waiting').waitFor();
      for (const job of await client.listJobs({ owner: '*' }))
        if (job.submit?.filename === 'waits.v' && job.status === 'queued')
          await client.cancelAnyJob({ job_id: job.job_id });
    },
  ],
  [
    'a build under way',
    async (page) => {
      await goTo(page, '#/node/8/design');
      await page.getByRole('region', { name: 'Stages' }).waitFor();
    },
  ],
  [
    'what others did',
    async (page) => {
      await goTo(page, '#/node/2');
      await page.getByRole('status', { name: 'Activity of this node' }).waitFor();
    },
  ],
];

/** Every screen, by address, with a sign that it is drawn. */
const SCREENS: [name: string, hash: string, ready: string][] = [
  ['bench', '#/', 'Nodes'],
  ['design of an idle node', '#/node/5', 'Drop an HDL file here'],
  ['design that was built', '#/node/0/design', 'Matcher result'],
  ['log', '#/node/0/log', 'Follow'],
  ['registers', '#/node/0/registers', 'Transactions'],
  ['panel', '#/node/0/panel', 'This design has no ports besides its bus.'],
  ['signals', '#/node/0/signals', 'Choose signals to watch'],
  ['report', '#/node/0/report', 'Utilisation'],
  ['floorplan', '#/node/0/floorplan', 'Modules'],
  ['history', '#/node/0/history', 'Duration'],
  ['failed build', '#/node/1/design', 'failed'],
  ['log of a failed build', '#/node/1/log', 'Follow'],
  ['wall', '#/wall', ''],
  ['jobs', '#/jobs', 'Duration'],
  ['builds', '#/builds', 'Builds are made on this bench.'],
  ['courses', '#/courses', 'No courses yet'],
  ['boards', '#/boards', 'Boards without a slot'],
  ['settings', '#/settings', 'Engines found'],
  ['audit', '#/audit', 'Log verified'],
  ['unknown address', '#/nowhere', 'Page not found.'],
];

/** Waits until a screen is drawn. */
async function isDrawn(page: Page, ready: string): Promise<void> {
  if (ready === 'Nodes' || ready === '') await page.getByRole('list', { name: 'Nodes' }).waitFor();
  else await page.locator('.main-detail').getByText(ready).first().waitFor();
}

/** Goes to a screen and waits until it is drawn. */
async function drawn(page: Page, hash: string, ready: string): Promise<void> {
  await goTo(page, hash);
  await isDrawn(page, ready);
}

/** A wide window, one of 1280 × 800 at 200 %, and a telephone. */
const SIZES = [
  [1440, 900],
  [640, 400],
  [390, 800],
] as const;

/** Sums up what moves without the person's doing, from the first byte of the page on. */
const WATCH_SHIFTS = `window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts.push(value);
  }).observe({ type: 'layout-shift', buffered: true });`;

const shifted = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
    .then(() => window.shifts.reduce((sum, value) => sum + value, 0))`);

/** The controls that look the same whether they are on or off. */
const ALIKE = `(() => {
  const LOOKS = ['backgroundColor', 'color', 'borderTopColor', 'borderBottomColor', 'borderTopWidth', 'outlineStyle',
    'outlineColor', 'fill', 'stroke', 'transform', 'left', 'content'];
  const look = (parts) => JSON.stringify(parts.flatMap((part) => [undefined, '::before', '::after'].map((pseudo) => {
    const style = getComputedStyle(part, pseudo);
    return LOOKS.map((name) => style[name]);
  })));
  const alike = [];
  // The mark of an open card is around its link, and another test looks at it.
  for (const control of document.querySelectorAll(':is(a, button, input, [role=tab], [role=option]):not(.card-link)')) {
    const isInput = control.matches('input[type=radio], input[type=checkbox]');
    const name = ['aria-pressed', 'aria-checked', 'aria-selected', 'aria-current'].find((one) => control.hasAttribute(one));
    if (!isInput && name === undefined) continue;
    const { appearance, opacity } = getComputedStyle(control);
    // The browser draws it.
    if (isInput && appearance !== 'none' && opacity !== '0' && control.clientWidth > 4) continue;
    const parts = [control, ...control.children, ...(isInput && control.nextElementSibling ? [control.nextElementSibling] : [])];
    const before = look(parts);
    const value = control.getAttribute(name);
    if (isInput) control.checked = !control.checked;
    else if (value !== 'true' && value !== 'false') control.removeAttribute(name);
    else control.setAttribute(name, value === 'true' ? 'false' : 'true');
    if (look(parts) === before) alike.push(control.getAttribute('aria-label') ?? (control.textContent || control.parentElement.textContent));
    if (isInput) control.checked = !control.checked;
    else control.setAttribute(name, value);
  }
  return alike;
})()`;

/** What a screen reader meets, in its order: role and name, from the accessibility tree of the browser. */
async function reading(page: Page, roles: readonly string[]): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const read: string[] = [];
  const visit = (id: string | undefined): void => {
    const node = byId.get(id ?? '');
    if (!node) return;
    const role = String(node.role?.value);
    if (!node.ignored && roles.includes(role)) read.push(`${role} ${node.name?.value ?? ''}`.trim());
    for (const child of node.childIds ?? []) visit(child);
  };
  visit(nodes[0]?.nodeId);
  return read;
}

/** What stands wholly above what is read before it, in a window of one column. */
const OUT_OF_ORDER = `(() => {
  const found = [];
  let last;
  const read = (part, end) => {
    if (!part.checkVisibility()) return;
    const { top, bottom, width } = part.getBoundingClientRect();
    const { position, readingFlow, overflowY } = getComputedStyle(part);
    if (part.matches('h1, h2, h3, button, a, input, select, th, dt') && width > 1 && position !== 'absolute') {
      if (last && bottom <= last.top) found.push(part.textContent + ' above ' + last.part.textContent);
      last = { part, top: Math.min(top, end) };
    }
    const children = [...part.children];
    if (readingFlow === 'flex-visual')
      children.sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top);
    // What a list has scrolled away is not below the list.
    for (const child of children) read(child, overflowY === 'visible' ? end : Math.min(end, bottom));
  };
  for (const screen of document.querySelectorAll('.main-detail > *')) read(screen, Infinity);
  return found;
})()`;

/** Ends the build on node 8, which waits in its first stage. */
async function endBuild(service: CalledService): Promise<void> {
  const client = service.client('lab-2');
  for (const job of await client.listNodeJobs({ fpga_id: 8 })) {
    if (job.status !== 'queued' && job.status !== 'running') continue;
    // A job that has reached the board or ended meanwhile cannot be stopped.
    await client.stopJob(job).catch(() => {});
    await client.jobEnded(job);
  }
  await service.free(8);
}

describe.skipIf(!hasChromium)('accessibility', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    const echo = example('echo.v');
    await service.build(0, 'echo.v', echo, 'alice');
    await service.run(0, { op: 1, address: 16, data: [1, 2, 3] }, 'alice');
    await service.build(1, 'broken.v', 'module broken(input a;\nendmodule\n', 'bob');
    // Another user ends this window's build; an anonymous user has no name.
    await service.build(2, 'echo.v', echo, 'anonymous');
    const other = service.client('lab-2');
    await other.jobEnded(await other.releaseSession({ fpga_id: 2 }));
  });

  test('axe-core reports nothing on any screen; at 1440 and 390 pixels and at 200 % none scrolls sideways, breaks words or has another order', async () => {
    const { page, complaints } = await bench.open();
    await page.getByText('live', { exact: true }).waitFor();
    const moving =
      'document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().duration) > 0).length';
    // The pages of tests ask for reduced motion.
    expect(await page.evaluate(moving)).toBe(0);
    // The wall fills the screen, and a window that does is not resized: the screen is.
    const screen = await page.context().newCDPSession(page);
    const resize = async (width: number, height: number) => {
      const size = { width, height, deviceScaleFactor: 1, mobile: false };
      await screen.send('Emulation.setDeviceMetricsOverride', size);
      await expect.poll(() => page.evaluate('innerWidth')).toBe(width);
    };
    const found: string[] = [];
    let looks = 0;
    /** Each look is at another size and in another theme, in the soak in all. @param part the frame around the screens is the same on all */
    const look = async (name: string, part: 'page' | 'screen' = 'screen') => {
      looks += 1;
      for (const [index, [width, height]] of SIZES.entries()) {
        if (!SOAK && index !== looks % SIZES.length) continue;
        await resize(width, height);
        for (const theme of SOAK ? (['light', 'dark'] as const) : ([looks % 2 ? 'light' : 'dark'] as const)) {
          await wear(page, theme);
          const at = `${name}, ${width} pixels wide, ${theme}`;
          found.push(...(await allFindings(page, part)).map((one) => `${at}: ${one}`));
        }
      }
      await resize(1280, 800);
    };
    for (const [index, [name, hash, ready]] of SCREENS.entries()) {
      await drawn(page, hash, ready);
      // The frame at each of the sizes.
      await look(name, index < SIZES.length ? 'page' : 'screen');
      for (const [width, height] of SIZES) {
        await resize(width, height);
        const at = `${name}, ${width} pixels wide,`;
        await expect.poll(() => sideways(page), { message: `${at} scrolls sideways` }).toBeLessThanOrEqual(0);
        if (width > 390) continue;
        await expect.poll(() => page.evaluate(BROKEN_WORDS), { message: `${at} breaks words` }).toEqual([]);
        await expect
          .poll(() => page.evaluate(OUT_OF_ORDER), { message: `${at} reads in another order` })
          .toEqual([]);
      }
      await resize(1280, 800);
    }
    const goOn = bench.service.pauseBuilds();
    for (const [name, show] of STATES) {
      await show(page, bench.service);
      await look(name);
    }
    await endBuild(bench.service);
    goOn();
    for (const [key, name] of [
      ['Control+k', 'Commands'],
      ['?', 'Keyboard shortcuts'],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      await look(key);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    expect(found).toEqual([]);

    // A narrow header has its actions in the details.
    await resize(640, 400);
    await goTo(page, '#/node/0/registers');
    await page.getByRole('button', { name: 'Details of node 0' }).click();
    await page.getByRole('button', { name: 'Release' }).click({ trial: true });
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Build echo.v').click({ trial: true });
    expect(complaints.list).toEqual([]);
    await page.context().close();
  });

  test('forced colours show which controls are on, on every screen', async () => {
    const { page } = await bench.open('', { as: 'alice', forcedColors: 'active' });
    const check = async (name: string) =>
      expect.poll(() => page.evaluate(ALIKE), { message: name }).toEqual([]);
    for (const [name, hash, ready] of SCREENS) {
      await drawn(page, hash, ready);
      await check(name);
    }
    await goTo(page, '#/node/0/registers');
    await page.getByRole('button', { name: 'Bits of 0x0010' }).click();
    await page.getByRole('button', { name: 'bit 15 0x0010' }).waitFor();
    await check('bits of a register');
    await goTo(page, '#/node/0/design');
    await page.locator('.cm-content').click();
    await page.keyboard.type('// a draft');
    await page.getByRole('navigation', { name: 'Open files' }).getByText('draft of').waitFor();
    await check('open files');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).getByRole('option').first().waitFor();
    await check('commands');
  });

  test('a screen reader meets the parts of a page in their order, and of a dialog nothing else', async () => {
    const { page } = await bench.open('/#/node/0/registers', { as: 'alice' });
    await page.getByRole('rowheader', { name: '0x0010' }).waitFor();
    const parts = await reading(page, [
      'banner',
      'navigation',
      'main',
      'heading',
      'tab',
      'tabpanel',
      'table',
      'region',
    ]);
    expect(parts).toEqual([
      ...['banner', 'navigation Screens', 'main', 'heading Node 0'],
      ...[
        'tab Design',
        'tab Log',
        'tab Registers',
        'tab Panel',
        'tab Signals',
        'tab Report',
        'tab Floorplan',
      ],
      ...[
        expect.stringMatching(/^tab History \d+$/),
        'tabpanel Registers',
        'heading Registers',
        'heading Watch',
      ],
      ...['region Registers found in the source', 'region Watch', 'table Watch', 'region Transactions'],
    ]);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await reading(page, ['banner', 'navigation', 'main', 'dialog', 'button', 'link'])).toEqual([
      'dialog Keyboard shortcuts',
      'button Close',
    ]);
  });

  test('no screen shifts while it loads', async () => {
    const { page } = await bench.open('', { as: 'alice', viewport: { width: 1440, height: 900 } });
    await page.addInitScript(WATCH_SHIFTS);
    for (const [index, [name, hash, ready]] of everyNth(2, SCREENS).entries()) {
      // Another query makes another document, in the same process of the browser.
      await page.goto(`${bench.service.url}/?${index}${hash}`);
      await isDrawn(page, ready);
      expect([name, (await shifted(page)) <= 0.02]).toEqual([name, true]);
    }
    await page.context().close();
  });

  test('text typed right after a view’s shortcut reaches that view, however slowly the page draws', async () => {
    await bench.service.build(7, 'echo.v', example('echo.v'));
    const { page } = await bench.open('/#/node/7/log', { as: 'bob' });
    await page.getByRole('tab', { name: 'Log', selected: true }).waitFor();
    await page.evaluate(
      'window.requestAnimationFrame = (drawn) => setTimeout(() => drawn(performance.now()), 500); 0',
    );
    await page.keyboard.press('w');
    await page.keyboard.type('0x8=0x66');
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel').getByText('0x0000_0066').first().waitFor();
    await bench.service.free(7);
  });

  test('the whole flow works by keyboard only, with the focus always visible', async () => {
    const { page } = await bench.open();
    await page.getByText('live', { exact: true }).waitFor();
    // Arrow keys go through the rack as it is laid out: two columns.
    await page.getByRole('link', { name: /^Node 0,/ }).focus();
    for (const [key, id] of [
      ['ArrowRight', 1],
      ['ArrowDown', 3],
      ['ArrowLeft', 2],
      ['End', 9],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect
        .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
        .toMatch(`Node ${id},`);
    }
    // From the bench to an example, by Tab and Enter.
    await page.keyboard.press('7');
    await page.getByText('Drop an HDL file here', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Open echo.v' }).waitFor();
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate<{ text: string; name: string | null; seen: boolean }>(FOCUS);
      if (focus.text !== '' && !focus.text.startsWith('Wishbench')) expect(focus.seen, focus.text).toBe(true);
      if (focus.name === 'Open echo.v') break;
    }
    await page.keyboard.press('Enter');
    await page.locator('dd', { hasText: 'word addresses' }).waitFor();
    await page.keyboard.press('s');
    await page.keyboard.press('Enter');
    await page
      .locator('.node-head')
      .getByText('reserved', { exact: true })
      .waitFor({ timeout: BUILD_TIMEOUT });
    await page.keyboard.press('w');
    await page.keyboard.type('0x8=0x55');
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel').getByText('0x0000_0055').first().waitFor();
    await page.keyboard.press('Escape');
    // Release through the palette; the safe answer has the focus, so Tab reaches the other one.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('release');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Release node 7?' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Keep as it is');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.node-head').getByText('idle', { exact: true }).waitFor({ timeout: BUILD_TIMEOUT });
    await pressAll(page, 'g', 'j');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
  });
});

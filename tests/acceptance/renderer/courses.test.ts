import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ServiceInProcess } from '../../support/api/service-in-process.ts';
import { findings } from '../../support/browser/axe.ts';
import { example, startBench, startBenchOf } from '../../support/browser/bench.ts';
import { hasChromium, IN_BROWSER } from '../../support/browser/browser.ts';
import type { Built } from '../../support/built.ts';

/** A step that echo.v passes, and one that it fails. */
const SCRIPT = {
  steps: [
    { op: 'write' as const, says: 'Write a word', address: 0, data: [5] },
    { op: 'read' as const, says: 'Reads it back', address: 0, expect: [5] },
    { op: 'read' as const, says: 'Adds one', address: 0, expect: [6] },
  ],
};

const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();

describe.skipIf(!hasChromium)('a course', IN_BROWSER, () => {
  const bench = startBench(['echo.v'], async (service) => {
    const prof = service.client('prof');
    await service.build(9, 'echo.v', example('echo.v'), 'prof');
    const [design] = await prof.listDesigns({ owner: 'prof' });
    await prof.putDesignScript({ design_id: design?.design_id ?? '', body: SCRIPT });
    await service.free(9);
  });

  test('goes from invitations to graded hand-ins and raised hands, in three browsers', async () => {
    const { page: teacher, complaints } = await bench.open('/#/courses', { as: 'prof' });
    await teacher.getByRole('button', { name: 'Create a course' }).click();
    await teacher.getByLabel('Name of the course').fill('Digital design');
    await teacher.getByRole('dialog').getByRole('button', { name: 'Create a course' }).click();

    // Members, and a link for each.
    await teacher.getByRole('button', { name: 'Add members…' }).first().click();
    await teacher.getByLabel('Names').fill('Ada Lovelace\nChen Wei\nAda Lovelace');
    await teacher.getByRole('button', { name: 'Add members', exact: true }).click();
    await teacher.getByRole('dialog').getByRole('alert').waitFor();
    await teacher.getByLabel('Names').fill('Ada Lovelace\nChen Wei');
    await teacher.getByRole('button', { name: 'Add members', exact: true }).click();
    await teacher.getByRole('row', { name: /Chen Wei/ }).waitFor();
    await teacher.getByRole('button', { name: 'Make invitation sheet' }).click();
    const slip = (name: string) =>
      teacher.getByRole('listitem').filter({ hasText: name }).locator('.course-link').innerText();
    const links = [await slip('Ada Lovelace'), await slip('Chen Wei')];
    expect(await findings(teacher)).toEqual([]);

    // An assignment from a design and its script.
    await tab(teacher, 'Assignments');
    await teacher.getByRole('button', { name: 'Create an assignment' }).click();
    await teacher.getByLabel('Title', { exact: true }).fill('Echo');
    await teacher.getByLabel('Text', { exact: true }).fill('Return **every** word.');
    await teacher.getByLabel('File to start from').selectOption('echo.v');
    await teacher.getByRole('button', { name: 'Take the steps of the script' }).click();
    await teacher.getByLabel('Points of step 2').fill('4');
    await teacher.getByLabel('Students do not see step 3').check();
    await teacher.getByRole('button', { name: 'Save' }).click();
    await teacher.getByText('3 steps, 5 points').waitFor();

    // A student signs in, starts, builds and hands in.
    const student = async (link: string) => {
      const { page } = await bench.open(link.slice(link.indexOf('/#/')));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: /^You are digital-design-/ }).waitFor();
      await page.getByRole('link', { name: 'Courses' }).click();
      await page.getByRole('link', { name: 'Digital design' }).click();
      await page.getByRole('heading', { name: 'Echo' }).waitFor();
      return page;
    };
    const [ada, chen] = await Promise.all(links.map(student));
    if (!ada || !chen) throw new Error('Two students are here.');
    const course = ada.url();
    await ada.getByRole('button', { name: 'Start: Echo' }).click();
    await ada.getByRole('button', { name: /^Submit to node/ }).click();
    await ada.getByRole('button', { name: 'Release' }).waitFor();
    await ada.goto(course);
    await ada.getByRole('button', { name: 'Hand in: Echo' }).click();
    await ada.getByText('4 of 5').first().waitFor();
    await ada.getByText(/^Attempt 1/).click();
    await ada.getByText('Reads it back').waitFor();
    expect(await ada.getByText('Adds one').count()).toBe(0);
    expect(await findings(ada)).toEqual([]);
    // Names are for the teacher; a student does not see other members.
    expect(await ada.getByText('Chen Wei').count()).toBe(0);

    await chen.getByLabel('Your question (optional)').fill('Where do I begin?');
    await chen.getByRole('button', { name: 'Raise hand' }).click();
    await chen.getByText('Your hand is up').waitFor();

    await tab(teacher, 'Results');
    await teacher
      .getByRole('row', { name: /Ada Lovelace/ })
      .getByText('4 of 5')
      .waitFor();
    expect(await findings(teacher)).toEqual([]);
    await tab(teacher, 'Wall');
    await teacher.getByText('Where do I begin?').waitFor();
    await expect
      .poll(() => teacher.getByRole('list', { name: 'Wall' }).getByRole('heading').allInnerTexts())
      .toEqual(['Chen Wei', 'Ada Lovelace']);
    await teacher.getByRole('link', { name: /of Ada Lovelace$/ }).waitFor();
    expect(await findings(teacher)).toEqual([]);
    await teacher.getByRole('button', { name: 'Lower the hand of Chen Wei' }).click();
    await chen.getByRole('button', { name: 'Raise hand' }).waitFor();
    expect(complaints.list).toEqual([]);
  });
});

const TOKEN = 'the token of the operator';

describe.skipIf(!hasChromium)('a teacher who is no operator', IN_BROWSER, () => {
  const withToken = {
    start: (built: readonly Built[]) => ServiceInProcess.start(built, { operatorToken: TOKEN }),
  };
  const bench = startBenchOf(withToken, ['echo.v'], async (service) => {
    const operator = service.client(undefined, { 'x-operator-token': TOKEN });
    const { course_id } = await operator.createCourse({ body: { name: 'Signals' } });
    const members = [{ name: 'Tess', username: 'tess', role: 'teacher' as const }];
    await operator.addMembers({ course_id, body: { members } });
  });

  test('runs the course on a wide and on a narrow screen, and is called from any page', async () => {
    const { page, complaints } = await bench.open('/#/courses', { as: 'tess' });
    await page.getByRole('link', { name: 'Signals' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a course' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Signals' }).click();

    // Somebody joins by the code.
    await tab(page, 'Members');
    await page.getByRole('button', { name: 'Course code…' }).click();
    await page.getByRole('button', { name: 'Open the course' }).click();
    const code = await page.locator('.course-code-word').innerText();
    await page.keyboard.press('Escape');
    const { page: ada } = await bench.open(`/#/course/${code}`, { viewport: { width: 390, height: 844 } });
    await ada.getByLabel('Your name').fill('Ada Lovelace');
    await ada.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByRole('rowheader', { name: 'Ada Lovelace' }).waitFor();

    await tab(page, 'Assignments');
    await page.getByRole('button', { name: 'Create an assignment' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Echo');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Echo' }).waitFor();

    // Shares are the teacher’s; priority, bookings and the end of the course are the operator’s.
    await tab(page, 'Settings');
    await page.getByLabel('Nodes at once').fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await ada.getByText('0 of 1 nodes in use').waitFor();
    expect(await page.getByLabel('Bookings').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete the course' }).count()).toBe(0);

    const wider = (shown: Page) => shown.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect([await wider(ada), await findings(ada)]).toEqual([0, []]);
    for (const name of ['Wall', 'Members', 'Assignments', 'Results', 'Settings']) {
      await tab(page, name);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await wider(page), `${name} at ${width} px`).toBe(0);
      }
      expect(await findings(page), name).toEqual([]);
    }

    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${bench.service.url}/#/`);
    await ada.getByLabel('Your question (optional)').fill('Which pin?');
    await ada.getByRole('button', { name: 'Raise hand' }).click();
    const called = /^Ada Lovelace raises a hand in Signals: “Which pin\?”/;
    await page.getByRole('link', { name: called }).click();
    await page.getByRole('tab', { name: /^Wall/, selected: true }).waitFor();
    await page.getByRole('tabpanel').getByText('Which pin?').waitFor();

    // The student takes the own data along, and leaves.
    const download = ada.waitForEvent('download');
    await ada.getByRole('button', { name: 'Export my data' }).click();
    expect((await download).suggestedFilename()).toBe('signals-01.zip');
    await ada.getByRole('button', { name: 'Leave the course' }).click();
    await ada.getByRole('dialog').getByRole('button', { name: 'Leave the course' }).click();
    await ada.getByRole('button', { name: 'Leave the course' }).waitFor({ state: 'detached' });
    await ada.getByText('No courses yet').waitFor();
    await tab(page, 'Members');
    await page.getByRole('rowheader', { name: 'Ada Lovelace' }).waitFor({ state: 'detached' });
    expect(complaints.list).toEqual([]);
  });
});

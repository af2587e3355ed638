// Checks every page: links, sources, commands, routes, labels and prose.
import { describe, expect, test } from 'vitest';
import { wrongCommands, wrongRoutes } from '../../support/repository/commands.ts';
import { wrongLabels } from '../../support/repository/labels.ts';
import { brokenLinks, missingSources, type Page, pages } from '../../support/repository/pages.ts';
import { meanLength, sentencesOf, wordsIn, writtenWords } from '../../support/repository/prose.ts';

/**
 * Limits in words: of a sentence, of the mean sentence over all pages, of a page without its generated sections, of all
 * pages together.
 */
const MAX_SENTENCE = 35;
const MAX_MEAN = 15;
const MAX_PAGE = 2500;
const MAX_WORDS = 33_000;
const MAX_CHANGELOG_LINES = 60;

/** Faults of a page, each with the function that finds them. */
const CHECKS: Record<string, (page: Page) => string[]> = {
  'broken links': brokenLinks,
  'missing sources': missingSources,
  'unknown commands or flags': wrongCommands,
  'unknown routes': wrongRoutes,
  'bold text that is not a GUI label': wrongLabels,
  'sentences that are too long': (page) =>
    sentencesOf(page).filter((sentence) => wordsIn(sentence) > MAX_SENTENCE),
  'too many words': (page) => {
    const words = writtenWords(page);
    return words > MAX_PAGE ? [`${words} words`] : [];
  },
};

describe.each(Object.entries(CHECKS))('no page has %s', (_, find) => {
  test.each(pages.map((page) => [page.file, page] as const))('%s', (_file, page) => {
    expect(find(page)).toEqual([]);
  });
});

describe('all pages together', () => {
  test('include the root, the guides and the service', () => {
    const names = pages.map(({ file }) => file);
    expect(names).toEqual(
      expect.arrayContaining(['README.md', 'docs/README.md', 'docs/guides/first-design.md']),
    );
    expect(names).toContain('server/boards/virtual/README.md');
  });

  test(`have ${MAX_MEAN} words a sentence or fewer`, () => {
    expect(meanLength(pages)).toBeLessThanOrEqual(MAX_MEAN);
  });

  test(`have ${MAX_WORDS} written words or fewer`, () => {
    expect(pages.map(writtenWords).reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(MAX_WORDS);
  });

  test(`have a change log of ${MAX_CHANGELOG_LINES} lines or fewer`, () => {
    const { text } = pages.find(({ file }) => file === 'CHANGELOG.md')!;
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_CHANGELOG_LINES);
  });

  test('are all in the index', () => {
    const { text } = pages.find(({ file }) => file === 'docs/README.md')!;
    const inDocs = pages.map(({ file }) => /^docs\/(.+)$/.exec(file)?.[1] ?? 'README.md');
    expect(inDocs.filter((name) => name !== 'README.md' && !text.includes(`](${name})`))).toEqual([]);
  });
});

/** Faults that a check finds in this text on a page about the GUI. */
const found = (check: keyof typeof CHECKS, text: string): string[] =>
  CHECKS[check]?.({ file: 'docs/gui.md', text }) ?? [];
const shell = (line: string): string => `\`\`\`sh\n${line}\n\`\`\`\n`;

describe('the checks', () => {
  test('find broken links and anchors', () => {
    const text =
      '# A “b” `c`\n\n## A b c\n[1](#a-b-c) [2](#a-b-c-1) [3](cli.md) [4](../README.md#two-commands)\n';
    expect(found('broken links', text)).toEqual([]);
    const broken =
      '[1](gone.md) [2](cli.md#gone) [3](#gone) ![4](screenshots/gone.png)\n`[5](gone.md)`\n\n[6]: gone.md';
    expect(found('broken links', broken)).toEqual([
      'gone.md',
      'cli.md#gone',
      '#gone',
      'screenshots/gone.png',
      'gone.md',
    ]);
  });

  test('find missing sources', () => {
    expect(found('missing sources', '`check.mjs` `cli/gone.ts`')).toEqual(['cli/gone.ts']);
  });

  test.each([
    'npm run serve -- --port 0',
    'npm test -- tests/unit/repository',
    'npx wishbench --url http://lab:8000 nodes --all',
    'wishbench map show|export 3',
    'X=$(wishbench submit 3 a.v --wait --json) && wishbench keys mint ann --operator | head',
    'wishbench read NODE 0x10 [COUNT]',
    'npm ci',
  ])('accept the command %s', (line) => {
    for (const text of [`\`${line}\``, shell(line)])
      expect(found('unknown commands or flags', text)).toEqual([]);
  });

  test.each([
    'npm run gone',
    'npm run serve -- --gone',
    'npm test -- tests/gone',
    'wishbench gone 3',
    'wishbench read 3 0x10 --gone',
    'wishbench keys gone ann',
    'wishbench map show|gone 3',
    'npx wishbench --gone nodes',
    'echo 1 | wishbench gone',
  ])('reject the command %s', (line) => {
    expect(found('unknown commands or flags', shell(line))).toHaveLength(1);
    if (!line.includes('echo')) expect(found('unknown commands or flags', `\`${line}\``)).toHaveLength(1);
  });

  test('find unknown routes', () => {
    const text =
      '`GET /fpga/{fpga_id}/floorplan` `DELETE /jobs/ID?now=1` `GET /openapi.json` `GET /benches/hall-b/fpga/3`';
    const curl = shell(
      'curl -s -X POST $B/fpga/3/session/release "http://127.0.0.1:8000/jobs/$JOB/logs?follow=1"',
    );
    expect(found('unknown routes', text + curl)).toEqual([]);
    const broken = '`POST /fpga/{fpga_id}/floorplan` `GET /gone`\n';
    expect(found('unknown routes', broken + shell('curl $B/fpga/3/gone'))).toEqual([
      'POST /fpga/{fpga_id}/floorplan',
      'GET /gone',
      '/fpga/3/gone',
    ]);
  });

  test('find bold text that is not a label', () => {
    const label = 'bold text that is not a GUI label';
    const text =
      '**Release** **Submit to node 3** **Request\ncontrol** **Listen on the LAN** **Continue as …**';
    expect(found(label, text)).toEqual([]);
    expect(found(label, '**Let go** **Note.** **release**')).toEqual(['Let go', 'Note.', 'release']);
    expect(CHECKS[label]?.({ file: 'docs/api.md', text: '**Note.**' })).toEqual([]);
  });

  test('find long sentences and long pages', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
    const long = 'sentences that are too long';
    expect(found(long, `A ${words(34)}. A ${words(34)}.\n\n- ${words(30)}\n- ${words(30)}`)).toEqual([]);
    expect(found(long, `A ${words(34)}\n${words(1)}. B.`)).toHaveLength(1);
    expect(found(long, `| ${words(36)} | ${words(20)} |`)).toHaveLength(1);
    expect(found(long, `- ${words(20)}\n  ${words(20)}`)).toHaveLength(1);
    expect(found(long, `\`\`\`sh\n${words(50)}\n\`\`\``)).toEqual([]);
    expect(found(long, `A ${'`GET /a`, '.repeat(40)} \`GET /b\`.`)).toEqual([]);
    expect(meanLength([{ file: 'a.md', text: `A ${words(20)}. A ${words(22)}.` }])).toBe(22);
    const page = 'too many words';
    expect(found(page, words(MAX_PAGE + 1))).toEqual([`${MAX_PAGE + 1} words`]);
    const generated = `<!-- generated: a (npm run generate) -->\n${words(99)}\n<!-- end of a -->`;
    expect(found(page, words(MAX_PAGE) + generated)).toEqual([]);
  });
});

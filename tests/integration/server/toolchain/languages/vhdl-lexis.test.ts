import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { findGhdl } from '../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { neutraliseVhdl } from '../../../../../server/toolchain/languages/vhdl/vhdl.ts';
import { tokenizeVhdl } from '../../../../../server/toolchain/languages/vhdl/vhdl-lexer.ts';
import { SOAK } from '../../../../support/soak.ts';

const check = (text: string) => neutraliseVhdl(text, 'm.vhd');
const tokens = (text: string) =>
  tokenizeVhdl(text)
    .filter(({ kind }) => kind !== 'space')
    .map(({ text: piece }) => piece);

const FILE = 'file f : text open read_mode is "/etc/passwd";';

describe('a tick', () => {
  test.each([
    ['behind a name', `character'('"')`, ['character', "'", '(', `'"'`, ')']],
    ['behind an extended name', `\\a b\\'('"')`, ['\\a b\\', "'", '(', `'"'`, ')']],
    ['behind a bracket', `f(1)'('"')`, ['f', '(', '1', ')', "'", '(', `'"'`, ')']],
    ['behind all', `p.all'('"')`, ['p', '.', 'all', "'", '(', `'"'`, ')']],
    ['behind subtype', `x'subtype'('"')`, ['x', "'", 'subtype', "'", '(', `'"'`, ')']],
    ['behind a literal', `'a''b'`, [`'a'`, "'", 'b', "'"]],
    ['of a literal', `when '"' => '('`, ['when', `'"'`, '=', '>', `'('`]],
    ['behind a comment', `x -- '\n'('"')`, ['x', "-- '", "'", '(', `'"'`, ')']],
  ])('%s', (_, text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });
});

describe('hidden file accesses are found', () => {
  test.each([
    ['behind a qualified expression', `constant q : character := character'('"');\n${FILE}`],
    ['behind one of an extended name', `constant q : character := \\c\\'('"');\n${FILE}`],
    ['behind one of the result of a call', `x := f(1)'('"');\n${FILE}`],
    ['behind one of a pointer', `x := p.all'('"');\n${FILE}`],
    ['behind a tool directive', `\`protect /*\n${FILE} -- */`],
    [
      'behind a name that ends in a letter outside of ASCII',
      `subtype à is character; constant q : à := à'('"');\n${FILE}`,
    ],
    [
      'behind what was hidden from synthesis',
      `x := when\n-- pragma translate_off\nname\n-- pragma translate_on\n'"'; ${FILE} -- "`,
    ],
    ['by its case', `FiLe f : text open read_mode is "/etc/passwd";`],
  ])('%s', (_, text) => {
    const { diagnostics } = check(text);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'design_file_reference' });
  });
});

test.each([
  ['a vertical tab', '\v'],
  ['a form feed', '\f'],
])('%s ends no comment: the text after it is removed as well', (_, end) => {
  const { text, diagnostics } = check(`-- comment${end}${FILE}\nx`);
  expect(diagnostics).toEqual([]);
  expect(text.trim()).toBe('x');
});

test('host files and foreign functions are refused, except in comments and simulation parts', () => {
  const { text, diagnostics } = check(`
      -- file f : text;
      file f : text open read_mode is "/etc/passwd";
      signal s : string := "file";
      attribute foreign of p : procedure is "VHPIDIRECT system";
      -- synthesis translate_off
      file g : text;
      -- synthesis translate_on
    `);
  expect(diagnostics.map(({ line }) => line)).toEqual([3, 5]);
  expect(text).not.toContain('file g');
});

test('text that is no file access stays unchanged, position for position', () => {
  const text = `architecture file_of of e is -- file
  constant q : character := '"'; /* file
  */ constant s : string := "file ""f"" " & character'('a') & '-' & "--";
  signal \\file\\ : bit_vector(f'range) := X"ab"; -- é
`;
  const checked = check(text);
  expect(checked.diagnostics).toEqual([]);
  expect(checked.text).toBe(
    text
      .replace('-- file', '       ')
      .replace('/* file', '       ')
      .replace('*/', '  ')
      .replace('-- é', '    '),
  );
});

/** Number of texts for GHDL, a process each: more in `npm run soak`. */
const RUNS = SOAK ? 4000 : 60;

/** Pieces whose order decides what is code, what a literal and what a comment. */
const PIECES =
  `'|"|(|)|[|]|'"'|'('|')'|'''|--|/*|*/|\\|\\x\\|x|'x'|all|'subtype|when|return|character|default|range|is|.|,|;|&|""|"a"|1|16#f#|X"a"|file| |  |\n|\n|-- synthesis translate_off\n|-- synthesis translate_on\n|\v|à|%|\``.split(
    '|',
  );

const ghdl = await findGhdl(systemClock);
if (!ghdl) process.stderr.write('GHDL is not installed: its lexer is not compared\n');

describe.skipIf(!ghdl)('GHDL reads what it is given as the check did', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-lexis-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'm.vhd');

  /** The words that GHDL finds in code, in order; null where it finds an error in the lexis. */
  function wordsOfGhdl(text: string): string[] | null {
    writeFileSync(file, text);
    const { stdout: html, stderr } = spawnSync(ghdl?.path ?? '', ['--pp-html', '--std=08', file], {
      encoding: 'latin1',
    });
    if (stderr !== '') return null;
    const code = html
      .slice(html.indexOf('<pre>'), html.lastIndexOf('</pre>'))
      .replace(/<font size=-1> *\d+<\/font>/g, ' ')
      .replace(/<font color=(?:blue|green)>[\s\S]*?<\/font>/g, ' ')
      .replace(/<[^>]*>/g, '')
      .replaceAll(/&\w+;/g, ' ');
    const pieces = code.match(/\\[^\\]*\\|\d[\w.#]*|[A-Za-z]\w*/g) ?? [];
    return pieces.filter((piece) => /^[A-Za-z]/.test(piece));
  }

  /** The words that the check finds in code; the prefix of a bit string, `X"a"`, is a part of the string. */
  function wordsOfCheck(text: string): string[] {
    const all = tokenizeVhdl(text);
    return all
      .filter(
        ({ kind, text: word }, at) =>
          kind === 'word' && !(/^(?:[us]?[box]|d)$/i.test(word) && all[at + 1]?.kind === 'string'),
      )
      .map(({ text: word }) => word);
  }

  test('GHDL and the check find the same words in any token sequence', () => {
    let compared = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }), (pieces) => {
        const { text, diagnostics } = check(`${pieces.join('')}\n`);
        if (diagnostics.length > 0) return;
        const found = wordsOfGhdl(text);
        if (found === null) return;
        compared++;
        expect(found).toEqual(wordsOfCheck(text));
        expect(found).not.toContain('file');
      }),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS / 8);
  });
});

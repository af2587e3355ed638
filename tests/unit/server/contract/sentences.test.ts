import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../../../server/api/edge/errors.ts';
import { describeError } from '../../../../server/cli/describe-error.ts';
import { sentence, sentences } from '../../../../server/contract/sentences.ts';
import { toolchainError } from '../../../../server/errors/toolchain.ts';
import { failureOf } from '../../../../server/stream/transaction.ts';

/** Messages of tools keep their ends; next to a remedy they are sentences. */

const UNEXPECTED = "broken.v:2: syntax error, unexpected ';'";
const ROOT = path.resolve(import.meta.dirname, '../../../..');

describe('a message becomes a sentence', () => {
  test.each([
    ['syntax error', 'syntax error.'],
    ['It is gone.', 'It is gone.'],
    ['Is it plugged in?', 'Is it plugged in?'],
    ['a port is missing (see the log.)', 'a port is missing (see the log.)'],
    [UNEXPECTED, `${UNEXPECTED}.`],
    ["unexpected '.'", "unexpected '.'."],
    ['the lines of Yosys\n', 'the lines of Yosys.'],
    ['expected one of:', 'expected one of:'],
    ['', ''],
  ])('%j', (message, said) => {
    expect(sentence(message)).toBe(said);
    expect(sentence(said), 'once is enough').toBe(said);
  });

  test('joins several messages unchanged, with only a stop and a space between them', () => {
    const words = fc.stringMatching(/^[A-Za-z:;.'") ]{0,12}$/);
    fc.assert(
      fc.property(fc.array(fc.option(words, { nil: undefined })), (messages) => {
        let rest = sentences(...messages);
        for (const message of messages) {
          const text = (message ?? '').trimEnd();
          if (text === '') continue;
          expect(rest.startsWith(text)).toBe(true);
          const [between] = /^\.? ?/.exec(rest.slice(text.length)) ?? [''];
          rest = rest.slice(text.length + between.length);
        }
        expect(rest).toBe('');
      }),
    );
  });
});

describe('cause and remedy are two sentences', () => {
  const error = toolchainError('tool_failed', { message: UNEXPECTED, remedy: 'Correct that line.' });
  const said = `${UNEXPECTED}. Correct that line.`;

  test('in an API response', () => {
    expect(envelope(error).detail.message).toBe(said);
  });

  test('in the words of a stream', () => {
    expect(failureOf(error).message).toBe(said);
  });

  test('of the command', () => {
    expect(describeError(error, false).text).toBe(said);
  });

  test('no other code joins them by hand', () => {
    const byHand: string[] = [];
    for (const folder of ['server', 'main', 'renderer/src'])
      for (const name of readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.tsx?$/.test(name)) continue;
        const text = readFileSync(path.join(ROOT, folder, name), 'utf8');
        if (/(message|reason)\}(<\/\w+>)? \$?\{[^}]*\bremedy\b/.test(text)) byHand.push(`${folder}/${name}`);
      }
    expect(byHand).toEqual([]);
  });
});

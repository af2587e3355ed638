import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { text } from '../../../renderer/src/text/text.ts';
import { CAPABILITIES } from '../../../server/contract/boards/capabilities.ts';
import { LANGUAGES } from '../../../server/contract/designs/uploads.ts';
import { STAGES } from '../../../server/contract/jobs/jobs.ts';
import type { ErrorCode } from '../../../server/errors/catalogue.ts';

const sources = path.join(import.meta.dirname, '../../../renderer/src');

test('every sentence of the GUI is in the catalogue, not in a component', () => {
  const found: string[] = [];
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.tsx')) continue;
    const code = readFileSync(path.join(sources, name), 'utf8');
    // Words between tags, and words in attributes that people read or hear.
    for (const match of code.matchAll(/<[a-z][^<>{}]*>\s*([A-Za-z][A-Za-z ,.]{2,}?)\s*</g))
      found.push(`${name}: ${match[1]}`);
    for (const match of code.matchAll(/\b(?:title|label|aria-label|placeholder|alt)="([^"]+)"/g))
      found.push(`${name}: ${match[1]}`);
  }
  expect(found).toEqual([]);
});

test('no sentence shouts or apologises', () => {
  const sentences: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') sentences.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(text);
  expect(sentences.length).toBeGreaterThan(300);
  expect(sentences.filter((sentence) => /!|\boops\b|\bsorry\b/i.test(sentence))).toEqual([]);
});

/** Sentences by a name from the service: one for each name, and no other. */
const NAMED: readonly (readonly [where: string, sentences: object, names: readonly string[]])[] = [
  ['text.stage', text.stage, STAGES],
  ['text.proven.capabilities', text.proven.capabilities, CAPABILITIES],
  ['text.node.gallery.languages', text.node.gallery.languages, LANGUAGES],
  ['text.node.handshakes', text.node.handshakes, ['classic', 'pipelined']],
  [
    'text.benches.strange',
    text.benches.strange,
    ['bench_answer_refused', 'bench_not_trusted', 'bench_version'] satisfies ErrorCode[],
  ],
];

test.each(NAMED)('%s has a sentence for exactly the names of the contract', (_, sentences, names) => {
  expect(Object.keys(sentences).sort()).toEqual([...names].sort());
});

test('every sentence of the catalogue is used', () => {
  const code = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('text'))
    .map((name) => readFileSync(path.join(sources, name), 'utf8'))
    .join('\n');
  // The tools name the resources of a part, the service the details of an audit entry.
  const named = new Set([
    ...NAMED.map(([where]) => where),
    'text.node.report.resources',
    'text.audit.fields',
  ]);
  const unused: string[] = [];
  const walk = (value: object, where: string): void => {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object') walk(inner, `${where}.${key}`);
      else if (!named.has(where) && !new RegExp(`\\b${key}\\b`).test(code)) unused.push(`${where}.${key}`);
    }
  };
  walk(text, 'text');
  expect(unused).toEqual([]);
});

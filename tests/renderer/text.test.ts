import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { chooseText, text } from '../../renderer/src/text/text.ts';

const sources = path.join(import.meta.dirname, '../../renderer/src');

test('every sentence of the GUI is in the catalogue, not in a component', () => {
  const found: string[] = [];
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.tsx')) continue;
    const code = readFileSync(path.join(sources, name), 'utf8');
    // Words between tags, and words given to what people read or hear.
    for (const match of code.matchAll(/<[a-z][^<>{}]*>\s*([A-Za-z][A-Za-z ,.]{2,}?)\s*</g))
      found.push(`${name}: ${match[1]}`);
    for (const match of code.matchAll(/\b(?:title|label|aria-label|placeholder|alt)="([^"]+)"/g))
      found.push(`${name}: ${match[1]}`);
  }
  expect(found).toEqual([]);
});

test('unknown languages fall back to English', () => {
  expect(chooseText(['xx-YY', 'de'])).toBe(text);
  expect(chooseText(['en-GB'])).toBe(text);
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

test('no sentence is in the catalogue that nothing uses', () => {
  const code = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('text'))
    .map((name) => readFileSync(path.join(sources, name), 'utf8'))
    .join('\n');
  const unused: string[] = [];
  const walk = (value: object, where: string): void => {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object') walk(inner, `${where}.${key}`);
      // What a service names (states, stages, resources) is looked up by that name.
      else if (!new RegExp(`\\b${key}\\b`).test(code) && !/\.(stage|resources|handshakes)$/.test(where))
        unused.push(`${where}.${key}`);
    }
  };
  walk(text, 'text');
  expect(unused).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = 'renderer/src';
const icons = readFileSync(path.join(ROOT, 'components/Icon.tsx'), 'utf8');
const shapes = [...icons.matchAll(/^ {2}(\w+):\s+'(M[^']+)',$/gm)].map(([, name = '', shape = '']) => ({
  name,
  shape,
}));

test('each icon has a shape of its own', () => {
  expect(shapes.length).toBeGreaterThan(40);
  const names = new Map<string, string[]>();
  for (const { name, shape } of shapes) names.set(shape, [...(names.get(shape) ?? []), name]);
  expect([...names.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test('each icon is drawn somewhere', () => {
  const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('Icon.tsx'))
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .join('\n');
  const unused = shapes.filter(({ name }) => !new RegExp(`['"]${name}['"]`).test(sources));
  expect(unused.map(({ name }) => name)).toEqual([]);
});

/** Icons of screens and views, which no button has for something else. */
const PLACES =
  'bench|jobs|boards|settings|courses|audit|builds|code|log|registers|panel|signals|report|floorplan|history|wall';

test('the icon of a screen is on no button that leads elsewhere', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  );
  const found = files.flatMap((file) => {
    const source = readFileSync(path.join(ROOT, file), 'utf8');
    return [...source.matchAll(new RegExp(`<(?:Icon)?Button\\b[^>]*?icon="(${PLACES})"`, 'g'))].map(
      ([, icon]) => `${icon} in ${path.basename(file)}`,
    );
  });
  // One leads to the registers, two fill the screen.
  expect(found.sort()).toEqual(['registers in BuildSide.tsx', 'wall in Bench.tsx', 'wall in PanelTab.tsx']);
});

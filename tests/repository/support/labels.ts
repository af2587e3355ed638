import * as text from '../../../renderer/src/text/en.ts';
import { SETTING_FIELDS } from '../../../server/contract/setting-fields.ts';
import { boldText, type Page } from './pages.ts';

/** Pages about the GUI: what they have in bold type is a label of the screen, letter by letter, and nothing else is. */
const isAboutGui = ({ file }: Page): boolean => /^(?:README|docs\/gui|docs\/guides\/.+)\.md$/.test(file);

/** Stands for a value in a label that takes some. */
const VALUE = '\u{E000}';

const labels = new Set<string>();
const patterns: RegExp[] = [];

/** A label that takes values fits with any values in their places, `…` for example. */
function addPattern(make: (...values: string[]) => unknown): void {
  try {
    const made = make(VALUE, VALUE, VALUE, VALUE);
    if (typeof made !== 'string') return;
    const parts = made.split(VALUE);
    if (parts.join('').replaceAll(/[^a-z]/gi, '').length < 4) return;
    const escaped = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    patterns.push(new RegExp(`^${escaped.join('.+')}$`));
  } catch {
    // It takes values that are no words: it is no label.
  }
}

function collect(value: unknown): void {
  if (typeof value === 'string') labels.add(value);
  else if (typeof value === 'function') addPattern(value as (...values: string[]) => unknown);
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
}
collect({ ...text });
for (const group of Object.values(SETTING_FIELDS))
  for (const { label } of Object.values(group)) labels.add(label);

const isLabel = (bold: string): boolean => labels.has(bold) || patterns.some((pattern) => pattern.test(bold));

/** Bold text of a page about the GUI that is no label of it. */
export const wrongLabels = (page: Page): string[] =>
  isAboutGui(page) ? boldText(page).filter((bold) => !isLabel(bold)) : [];

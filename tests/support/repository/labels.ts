// Checks bold text against the labels of the GUI.
import * as text from '../../../renderer/src/text/en.ts';
import { SETTING_FIELDS } from '../../../server/contract/setting-fields.ts';
import { boldText, type Page } from './pages.ts';

/** Pages about the GUI. Bold text there is always a label of the screen, letter by letter. */
const isAboutGui = ({ file }: Page): boolean => /^(?:README|docs\/gui|docs\/guides\/.+)\.md$/.test(file);

/** Marks the place of a value in a label. */
const VALUE = '\u{E000}';

const labels = new Set<string>();
const patterns: RegExp[] = [];

/** A label with values matches any text in their places, such as `…`. */
function addPattern(make: (...values: string[]) => unknown): void {
  try {
    const made = make(VALUE, VALUE, VALUE, VALUE);
    if (typeof made !== 'string') return;
    const parts = made.split(VALUE);
    if (parts.join('').replaceAll(/[^a-z]/gi, '').length < 4) return;
    const escaped = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    patterns.push(new RegExp(`^${escaped.join('.+')}$`));
  } catch {
    // It takes objects or lists, so it is a sentence and not a label.
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

/** Bold text of a page about the GUI that is not a label. */
export const wrongLabels = (page: Page): string[] =>
  isAboutGui(page) ? boldText(page).filter((bold) => !isLabel(bold)) : [];

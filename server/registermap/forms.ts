import type { MapDraft } from './draft.ts';
import { textIn, type XmlElement } from './xml.ts';

/** The effect of skipping an element, and the remedy; null where the element states only the default. */
type Unread = string | ((element: XmlElement) => string | null);

/** The contents that a standard allows within an element. */
interface Form {
  /** Names of elements that are read, separated by spaces. */
  read: string;
  /** Elements without a meaning for a map: text for people, C headers, other tools. */
  passed: string;
  unread: Readonly<Record<string, Unread>>;
}

/** The contents that a standard allows within its elements, by name. */
export type Forms = Readonly<Record<string, Form>>;

/**
 * Warns about everything in a file that is skipped: once for each kind, with its first line and the names around it.
 * Elements outside the standard count too.
 */
export function nameUnread(draft: MapDraft, root: XmlElement, forms: Forms): void {
  const known = new Map(
    Object.entries(forms).map(([name, { read, passed }]) => [name, new Set(`${read} ${passed}`.split(' '))]),
  );
  const todo = [{ element: root, around: root, path: '' }];
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { element, around, path } = next;
    const unread = element === around ? undefined : unreadAs(element, forms[around.name]);
    if (typeof unread === 'string') draft.note(element.line, path, `${element.name} ${unread}`);
    else if (unread === undefined && element !== around && !known.get(around.name)?.has(element.name))
      draft.note(
        element.line,
        path,
        `${element.name.slice(0, 64)} is unknown in ${around.name} and was skipped; check whether it matters`,
      );
    if (!forms[element.name]) continue;
    // Backwards, so that the first one is reported first.
    for (const child of element.children.toReversed()) {
      const name = textIn(child, 'name');
      const own = name === undefined ? path : path === '' ? name : `${path}.${name}`;
      todo.push({ element: child, around: element, path: own });
    }
  }
}

/** The warning for a skipped element; null where it states only the default. */
function unreadAs(element: XmlElement, form: Form | undefined): string | null | undefined {
  const unread = form && Object.hasOwn(form.unread, element.name) ? form.unread[element.name] : undefined;
  return typeof unread === 'function' ? unread(element) : unread;
}

/** Effects of a write or a read beyond setting and getting bits, as both standards name them. */
export const EFFECTS = {
  write: (element: XmlElement): string | null =>
    element.text.trim() === 'modify'
      ? null
      : 'is not in the map: a write to a field reads the rest of its word and writes it back, which may clear or set other bits; write the whole word',
  read: 'is not in the map: a read changes the register, and so does the read before a field is written; write the whole word',
  constraint: 'is not in the map: the bench writes any value; write only those that the file allows',
  access: ({ text }: XmlElement): string | null =>
    text.trim().endsWith('Once')
      ? 'is in the map without the rule that only the first write after a reset takes effect; reset the board to write again'
      : null,
} as const;

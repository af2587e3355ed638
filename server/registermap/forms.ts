import type { MapDraft } from './draft.ts';
import { textIn, type XmlElement } from './xml.ts';

/** What it means that an element is not read, and what to do; null where the element says nothing beyond what is assumed. */
type Unread = string | ((element: XmlElement) => string | null);

/** What a standard has within an element. */
interface Form {
  /** Names of elements that are read, between spaces. */
  read: string;
  /** Those without a meaning for a map: text for people, C headers, other tools. */
  passed: string;
  unread: Readonly<Record<string, Unread>>;
}

/** What a standard has within its elements, by their names. */
export type Forms = Readonly<Record<string, Form>>;

/**
 * Names everything in a file that is not read: once for each kind, with the first line of it and the names of those around
 * it. What a standard does not have at all is named as well.
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
        `${element.name.slice(0, 64)} is not known in ${around.name}, and not read; look whether it matters`,
      );
    if (!forms[element.name]) continue;
    // Backwards, so that what stands first is told first.
    for (const child of element.children.toReversed()) {
      const name = textIn(child, 'name');
      const own = name === undefined ? path : path === '' ? name : `${path}.${name}`;
      todo.push({ element: child, around: element, path: own });
    }
  }
}

/** The sentence on an element that is not read; null where it says nothing beyond what is assumed. */
function unreadAs(element: XmlElement, form: Form | undefined): string | null | undefined {
  const unread = form && Object.hasOwn(form.unread, element.name) ? form.unread[element.name] : undefined;
  return typeof unread === 'function' ? unread(element) : unread;
}

/** What a write or a read does beside setting and getting bits, in the words of both standards. */
export const EFFECTS = {
  write: (element: XmlElement): string | null =>
    element.text.trim() === 'modify'
      ? null
      : 'is not in the map: to write a field the rest of its word is read and written back, which may clear or set other bits; write the whole word',
  read: 'is not in the map: a read changes the register, also the read before a field is written; write the whole word',
  constraint: 'is not in the map: every value is written; mind yourself which are allowed',
  access: ({ text }: XmlElement): string | null =>
    text.trim().endsWith('Once')
      ? 'is in the map without the rule that only the first write after a reset counts; reset the board to write again'
      : null,
} as const;

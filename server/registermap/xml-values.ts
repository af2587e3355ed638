import type { Register } from '../contract/register-map.ts';
import type { MapDraft } from './draft.ts';
import { numberIn } from './numbers.ts';
import { childOf, type XmlElement } from './xml.ts';

/** What SVD and IP-XACT call an access. */
export const ACCESSES: Readonly<Record<string, Register['access']>> = {
  'read-only': 'ro',
  'write-only': 'wo',
  writeOnce: 'wo',
  'read-write': 'rw',
  'read-writeOnce': 'rw',
};

/** The number in an element within another one; undefined where there is none, and where it is none, which is said. */
export function numberOf(draft: MapDraft, element: XmlElement, name: string): number | undefined {
  const inner = childOf(element, name);
  if (!inner) return undefined;
  const value = numberIn(inner.text);
  if (value === null)
    draft.say(inner.line, `${name} is “${inner.text.trim().slice(0, 40)}”, which is no number`);
  return value ?? undefined;
}

import { editDistance } from '../../text.ts';

/** The one most similar name, with at most a third of its letters changed; null when there is none, or several. */
export function nearest(name: string, names: Iterable<string>): string | null {
  let [best, least, alike] = ['', Math.max(1, Math.floor(name.length / 3)) + 1, 0];
  for (const one of new Set(names)) {
    if (one === name || one.length < 2 || Math.abs(one.length - name.length) >= least + 1) continue;
    const changes = editDistance(name.toLowerCase(), one.toLowerCase());
    if (changes < least) [best, least, alike] = [one, changes, 1];
    else if (changes === least && alike > 0) alike++;
  }
  return alike === 1 && name.length > 1 ? best : null;
}

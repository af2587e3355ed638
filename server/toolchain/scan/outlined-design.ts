import { type OutlineOf, outlineOf } from './outline.ts';
import type { PreparedDesign } from './prepared-design.ts';

const decoder = new TextDecoder();

/**
 * A design without the bodies of its modules, see outlineOf.
 * @returns null where the structure of one of its sources cannot be told for sure
 */
export function outlined(
  source: PreparedDesign,
  keep: OutlineOf,
): { source: PreparedDesign; mentions: Map<string, Set<string>> } | null {
  const files = { ...source.files };
  const mentions = new Map<string, Set<string>>();
  for (const path of source.units) {
    const text = files[path];
    if (text === undefined) return null;
    const outline = outlineOf(typeof text === 'string' ? text : decoder.decode(text), keep);
    if (!outline) return null;
    files[path] = outline.text;
    for (const [module, words] of outline.mentions)
      mentions.set(module, new Set([...(mentions.get(module) ?? []), ...words]));
  }
  return { source: { ...source, files }, mentions };
}

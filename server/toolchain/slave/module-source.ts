import type { Place } from '../diagnostics/place.ts';
import type { ToolFiles } from '../tool-engine.ts';
import { reportedName } from '../tool-paths.ts';

/** The source from a place on to the end of its module; empty when it is no text. */
export function moduleSource({ file, line = 1 }: Place, files: Readonly<ToolFiles>): string {
  const [, text] = Object.entries(files).find(([path]) => reportedName(path) === file) ?? [];
  if (typeof text !== 'string') return '';
  const rest = text
    .split('\n')
    .slice(line - 1)
    .join('\n');
  return rest.split(/\bendmodule\b/, 1)[0] ?? '';
}

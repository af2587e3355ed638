import type { MatchedDesign, Port } from '../../contract/designs/uploads.ts';
import { idleLevelOf } from './idle-levels.ts';
import { nameTokens } from './port-names.ts';

type Tie = MatchedDesign['ties'][number];

const MARKS = new Set(['i', 'in', 'pad', 'pin', 'input']);

/** The tie of an input outside the bus: its idle level. */
export function tieOf(port: Port): Tie {
  const words = nameTokens(port.name);
  while (words.length > 1 && MARKS.has(words.at(-1)!)) words.pop();
  // PULP's form of an active-low input: `irq_ni`.
  if (words.length > 1 && words.at(-1) === 'ni') words.splice(-1, 1, 'n');
  while (words.length > 1 && words[0] === 'i') words.shift();
  const { level, reason } = idleLevelOf(words);
  return { port: port.name, width: port.width, value: level, reason };
}

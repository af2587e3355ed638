import { type Pieces, textAt } from './statements.ts';

/** A signal that an interface declares. */
export interface InterfaceSignal {
  /** Its bounds as they are written; null where they are no numbers, or there are several. */
  range: readonly [left: number, right: number] | null;
  /** It is a `wire`, and no variable. */
  isNet: boolean;
}

const TYPES = /^(?:logic|reg|bit|wire|tri)$/;

/** The bounds of a signal between its type and its name. */
function rangeOf(said: string): InterfaceSignal['range'] {
  if (said === '') return [0, 0];
  const [, left, right] = /^\[(\d+):(\d+)\]$/.exec(said) ?? [];
  return left === undefined || right === undefined ? null : [Number(left), Number(right)];
}

/** The signals with types of the language that the pieces of an interface from one index to another declare. */
export function signalsIn(pieces: Pieces, from: number, to: number): Map<string, InterfaceSignal> {
  const signals = new Map<string, InterfaceSignal>();
  for (let at = from; at < to; at++) {
    if (pieces[at]?.kind !== 'word' || !TYPES.test(textAt(pieces, at))) continue;
    const isNet = /^(?:wire|tri)$/.test(textAt(pieces, at));
    let said = '';
    for (
      at++;
      at < to && (pieces[at]?.kind !== 'word' || /^(?:logic|signed|unsigned)$/.test(textAt(pieces, at)));
      at++
    )
      if (pieces[at]?.kind !== 'word') said += textAt(pieces, at);
    for (; at < to && pieces[at]?.kind === 'word'; at++) {
      const isArray = textAt(pieces, at + 1) === '[';
      signals.set(textAt(pieces, at), { range: isArray ? null : rangeOf(said), isNet });
      while (at < to && !/^[,;]$/.test(textAt(pieces, at))) at++;
      if (textAt(pieces, at) === ';') break;
    }
  }
  return signals;
}

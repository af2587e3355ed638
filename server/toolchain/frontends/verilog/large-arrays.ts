import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { inUpload, type PreparedDesign } from '../../intake/prepared-design.ts';
import { reportedName } from '../../tool-paths.ts';
import { textOf } from './copies.ts';

/** Size from which an array may be the reason why a design cannot be read, bits: no part has that much memory. */
const MIN_BITS = 2 ** 23;

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const PARAMETER = /\b(?:parameter|localparam)\b[^;=()]{0,80}?\b(\w+)\s*=\s*(\d[\d_]*)\s*[,;)\n]/g;
/** A packed range, which may be absent, a name, and a range or a number of words. */
const ARRAY =
  /\b(?:reg|logic|bit)\b[ \w]*(?:\[([^\]:]+):([^\]]+)\])?\s*\b(\w+)\s*\[([^\]:]+)(?::([^\]]+))?\]/g;
const BOUND = /^\(?\s*(?:(?<base>[12])\s*(?:\*\*|<<)\s*)?(?<number>\d+)\s*\)?\s*(?<less>-\s*1)?$/;

/** Value of a bound such as `255`, `DEPTH-1`, `(1<<20)-1` or `2**WIDTH - 1`; NaN for any other. */
function evaluateBound(bound: string, parameters: ReadonlyMap<string, string>): number {
  const plain = bound.replace(/[A-Za-z_]\w*/g, (name) => parameters.get(name) ?? name).replaceAll('_', '');
  const { base, number = '', less } = BOUND.exec(plain.trim())?.groups ?? {};
  return (base === undefined ? Number(number || Number.NaN) : 2 ** Number(number)) - (less ? 1 : 0);
}

/** The largest array of a design, as an error, when it may be too large to be read; null otherwise. */
export function oversizedArray(source: PreparedDesign): Diagnostic | null {
  let most = MIN_BITS;
  let largest: Diagnostic | null = null;
  for (const unit of source.units) {
    const text = textOf(source.files, unit).replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '));
    const parameters = new Map(
      [...text.matchAll(PARAMETER)].map(([, name = '', value = '']) => [name, value]),
    );
    for (const { index, 1: high, 2: low = '', 3: name = '', 4: first = '', 5: last } of text.matchAll(
      ARRAY,
    )) {
      const [from, to] = [
        evaluateBound(first, parameters),
        last === undefined ? 0 : evaluateBound(last, parameters),
      ];
      const width =
        high === undefined
          ? 1
          : Math.abs(evaluateBound(high, parameters) - evaluateBound(low, parameters)) + 1;
      const words = last === undefined ? from : Math.abs(from - to) + 1;
      if (!(width * words >= most)) continue;
      most = width * words;
      const message = `the memory ${name} has ${words.toLocaleString('en-US')} words of ${width} bit${width === 1 ? '' : 's'}, more than any part has: make it smaller`;
      const line = text.slice(0, index).split('\n').length;
      largest = {
        severity: 'error',
        code: 'build_too_large',
        message,
        ...inUpload({ file: reportedName(unit), line }, source),
        net: name,
      };
    }
  }
  return largest;
}

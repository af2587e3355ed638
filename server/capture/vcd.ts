import { clockOf, digitsOf, type Field, rowChanges, type Samples } from './samples.ts';

/** Samples between two pieces of text. */
const PIECE = 2048;
/** First printable character of identifiers (source: IEEE 1364-2005, 18.2.1). */
const FIRST_CHARACTER = 33;
const CHARACTERS = 94;

/** Short and different for each index. */
function identifier(index: number): string {
  let rest = index;
  let text = '';
  do {
    text += String.fromCharCode(FIRST_CHARACTER + (rest % CHARACTERS));
    rest = Math.floor(rest / CHARACTERS) - 1;
  } while (rest >= 0);
  return text;
}

interface Scope {
  scopes: Map<string, Scope>;
  fields: { field: Field; name: string; id: string }[];
}

const newScope = (): Scope => ({ scopes: new Map(), fields: [] });
/** White space ends a word of the format. */
const word = (text: string): string => text.replace(/\s/g, '_');

/**
 * A capture as a value change dump (IEEE 1364-2005, chapter 18), in pieces. Times are in picoseconds from the first
 * sample, lost bits are x, and a signal `trigger` is high in the trigger's sample.
 */
export function* vcdOf(samples: Samples, date: string): Generator<string> {
  const { view } = samples;
  const top = newScope();
  const fields = view.signals.map((field, index) => ({ field, id: identifier(index) }));
  for (const { field, id } of fields) {
    const [, base = field.name, range = ''] = /^(.*?)(\[[\d:]+\])?$/s.exec(field.name) ?? [];
    const path = base.split('.');
    const name = path.pop() ?? base;
    let scope = top;
    for (const step of path) {
      const inner = scope.scopes.get(step) ?? newScope();
      scope.scopes.set(step, inner);
      scope = inner;
    }
    scope.fields.push({ field, name: `${word(name)}${range === '' ? '' : ` ${range}`}`, id });
  }
  const trigger = identifier(fields.length);
  yield [
    `$date ${date} $end`,
    '$version Wishbench $end',
    `$comment capture ${view.capture_id} of node ${view.fpga_id} $end`,
    '$timescale 1 ps $end',
    '$scope module design $end',
    ...declarations(top),
    '$upscope $end',
    '$scope module capture $end',
    `$var wire 1 ${trigger} trigger $end`,
    '$upscope $end',
    '$enddefinitions $end',
    '',
  ].join('\n');

  const before: string[] = [];
  let text = '';
  for (let sample = 0; sample < view.samples; sample++) {
    const fires = sample === view.trigger_sample;
    const fired = sample > 0 && sample - 1 === view.trigger_sample;
    if (sample === 0 || fires || fired || rowChanges(samples, sample)) {
      text += `#${timeOf(samples, sample)}\n${sample === 0 ? '$dumpvars\n' : ''}`;
      fields.forEach(({ field, id }, index) => {
        const digits = withLost(digitsOf(samples, sample, field), field);
        if (before[index] === digits) return;
        before[index] = digits;
        text += field.width === 1 ? `${digits}${id}\n` : `b${digits} ${id}\n`;
      });
      if (sample === 0 || fires || fired) text += `${fires ? 1 : 0}${trigger}\n`;
      if (sample === 0) text += '$end\n';
    }
    if (sample % PIECE === PIECE - 1) {
      yield text;
      text = '';
    }
  }
  // The last value also lasts for a clock.
  yield `${text}#${timeOf(samples, view.samples)}\n`;
}

function declarations({ scopes, fields }: Scope): string[] {
  return [
    ...fields.map(({ field, name, id }) => `$var wire ${field.width} ${id} ${name} $end`),
    ...[...scopes].flatMap(([name, scope]) => [
      `$scope module ${word(name)} $end`,
      ...declarations(scope),
      '$upscope $end',
    ]),
  ];
}

const timeOf = (samples: Samples, sample: number): number =>
  Math.round((clockOf(samples, sample) * 1e12) / samples.view.clock_hz);

function withLost(digits: string, { lost, width }: Field): string {
  if (lost === undefined) return digits;
  const mask = BigInt(lost).toString(2).padStart(width, '0');
  return [...digits].map((digit, k) => (mask[k] === '1' ? 'x' : digit)).join('');
}

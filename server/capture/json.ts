import { changes, fieldValue, type Samples } from './samples.ts';

/** A capture as JSON, in pieces: for each signal its changes, `[[sample, value], …]`, the first sample included. */
export function* jsonOf(samples: Samples): Generator<string> {
  const { view } = samples;
  yield `{"capture":${JSON.stringify(view)},"signals":[`;
  for (const [index, field] of view.signals.entries()) {
    const { name, width } = field;
    let text = `${index > 0 ? ',' : ''}{"name":${JSON.stringify(name)},"width":${width},"changes":[`;
    for (let sample = 0; sample < view.samples; sample++) {
      if (sample > 0 && !changes(samples, sample, field)) continue;
      text += `${sample > 0 ? ',' : ''}[${sample},${JSON.stringify(fieldValue(samples, sample, field))}]`;
    }
    yield `${text}]}`;
  }
  yield ']}\n';
}

import { useState } from 'react';
import type { SubmitOptions } from '../../../../server/contract/jobs.ts';
import { SelectField, TextField } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';

const t = text.node;

/** What a submit may say besides the file. Everything has a good default, so it stays folded. */
export function OptionsForm({
  options,
  modules,
  onChange,
}: {
  options: SubmitOptions;
  modules: readonly string[];
  onChange(options: SubmitOptions): void;
}) {
  const [target, setTarget] = useState(options.timing_target_mhz?.toString() ?? '');
  const [problem, setProblem] = useState<string | undefined>();
  /** Options without what is undefined: an absent option is one that the service decides. */
  const change = (changed: { [K in keyof SubmitOptions]?: SubmitOptions[K] | undefined }) => {
    const next = { ...options, ...changed };
    onChange(
      Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as SubmitOptions,
    );
  };
  return (
    <details className="options" open={Object.keys(options).length > 0}>
      <summary>{t.options}</summary>
      <div className="stack">
        <SelectField
          label={t.top}
          hint={t.topHint}
          className="mono"
          value={options.top ?? ''}
          options={[
            { value: '', label: t.topAuto },
            ...modules.map((name) => ({ value: name, label: name })),
          ]}
          onChange={(event) => change({ top: event.target.value || undefined })}
        />
        <SelectField
          label={t.addressing}
          value={options.addressing ?? ''}
          options={[
            { value: '', label: t.addressingAuto },
            { value: 'byte', label: t.byte },
            { value: 'word', label: t.word },
          ]}
          onChange={(event) =>
            change({ addressing: (event.target.value || undefined) as 'byte' | 'word' | undefined })
          }
        />
        <TextField
          label={t.target}
          hint={t.targetHint}
          problem={problem}
          unit="MHz"
          inputMode="decimal"
          className="mono"
          value={target}
          onChange={(event) => {
            const { value } = event.target;
            setTarget(value);
            const mhz = Number(value);
            const valid = value.trim() === '' || (Number.isFinite(mhz) && mhz >= 1 && mhz <= 1000);
            setProblem(valid ? undefined : t.targetProblem);
            if (valid) change({ timing_target_mhz: value.trim() === '' ? undefined : mhz });
          }}
        />
      </div>
    </details>
  );
}

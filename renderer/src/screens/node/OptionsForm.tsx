import { useState } from 'react';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { PROBES_PATTERN } from '../../../../server/contract/signals/probes.ts';
import { SelectField, TextField } from '../../components/Field.tsx';
import { formatPinWishes, parsePinWishes } from '../../format/pin-wishes.ts';
import { text } from '../../text/text.ts';

const t = text.node;
const PROBES = new RegExp(PROBES_PATTERN, 'u');

/** The options of a submit. All have defaults, so the form is folded. */
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
  const [probes, setProbes] = useState(options.probes ?? '');
  const [probesProblem, setProbesProblem] = useState<string | undefined>();
  const [pins, setPins] = useState(formatPinWishes(options.pins ?? {}));
  const [pinProblem, setPinProblem] = useState<string | undefined>();
  /** Removes undefined options: the service decides absent ones. */
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
        <TextField
          label={t.probes}
          hint={t.probesHint}
          problem={probesProblem}
          className="mono"
          value={probes}
          onChange={(event) => {
            const { value } = event.target;
            setProbes(value);
            const valid = value.trim() === '' || PROBES.test(value);
            setProbesProblem(valid ? undefined : t.probesProblem);
            if (valid) change({ probes: value.trim() || undefined });
          }}
        />
        <TextField
          label={t.pinsAtFirst}
          hint={t.pinsAtFirstHint}
          problem={pinProblem}
          className="mono"
          placeholder={t.pinsAtFirstExample}
          value={pins}
          onChange={(event) => {
            const { value } = event.target;
            setPins(value);
            const settings = parsePinWishes(value);
            setPinProblem(settings === null ? t.pinsAtFirstProblem : undefined);
            if (settings) change({ pins: Object.keys(settings).length === 0 ? undefined : settings });
          }}
        />
      </div>
    </details>
  );
}

import { type ReactNode, useEffect, useState } from 'react';
import { NEEDS_RESTART } from '../../../../server/contract/needs-restart.ts';
import { Field, TextField } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';
import { editedValue, withChange } from './draft.ts';
import { type NumberField, parseNumber, shownNumber, toLines } from './fields.ts';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="settings-section">
      <h2>{title}</h2>
      <div className="settings-fields">{children}</div>
    </section>
  );
}

export const restartNote = (key: string): string => (NEEDS_RESTART.includes(key) ? ` ${t.needsRestart}` : '');

/** A whole number with its unit, its limits and its default. */
export function NumberSetting({ field }: { field: NumberField }) {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const { key } = field.setting;
  const value = editedValue(response.settings, changes, field.setting);
  const fallback = field.setting.of(response.defaults);
  const [typed, setTyped] = useState(() => shownNumber(field, value));
  const changed = key in changes || key in problems;
  useEffect(() => {
    if (!changed) setTyped(shownNumber(field, value));
  }, [changed, field, value]);
  const standard =
    fallback === null
      ? (field.empty ?? '')
      : `${shownNumber(field, fallback)}${field.unit ? ` ${field.unit}` : ''}`;
  return (
    <TextField
      label={field.label}
      className="mono settings-number"
      inputMode="numeric"
      unit={field.unit ?? ''}
      value={typed}
      problem={problems[key]}
      hint={`${field.hint ? `${field.hint} ` : ''}${field.empty ? `${t.emptyMeans(field.empty)} ` : ''}${t.default(standard)}${restartNote(key)}`}
      onChange={(event) => {
        const parsed = parseNumber(field, event.target.value);
        setTyped(event.target.value);
        if ('problem' in parsed) setChanges(changes, key, parsed.problem);
        else setChanges(withChange(response.settings, changes, field.setting, parsed.value), key, undefined);
      }}
    />
  );
}

/** One entry a line. */
export function LinesSetting({
  label,
  hint,
  lines,
  problem,
  onChange,
}: {
  label: string;
  hint: string;
  lines: readonly string[];
  problem: string | undefined;
  onChange(lines: string[]): void;
}) {
  const [typed, setTyped] = useState(lines.join('\n'));
  const joined = lines.join('\n');
  useEffect(() => {
    setTyped((before) => (toLines(before).join('\n') === joined ? before : joined));
  }, [joined]);
  return (
    <Field label={label} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <textarea
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className="input mono"
          rows={3}
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(toLines(event.target.value));
          }}
        />
      )}
    </Field>
  );
}

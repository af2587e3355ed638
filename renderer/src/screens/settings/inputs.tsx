import { type ReactNode, useEffect, useState } from 'react';
import type { NumberField, TextField } from '../../../../server/contract/setting-fields.ts';
import { Field, Switch, TextField as TextInput } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';
import { editedValue, type Setting, withChange } from './draft.ts';
import { parseNumber, shownNumber, toLines } from './fields.ts';
import { sectionId } from './SectionIndex.tsx';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="settings-section">
      <h2 id={sectionId(title)} tabIndex={-1}>
        {title}
      </h2>
      <div className="settings-fields">{children}</div>
    </section>
  );
}

/** The text below a setting: its hint, and whether it waits for a restart. */
export const hintOf = ({ field: { hint, restart } }: Setting<unknown>, ...more: string[]): string =>
  [hint ?? '', ...more, restart ? t.needsRestart : ''].filter((part) => part !== '').join(' ');

/** A setting with its edits and its setter; `problem` says why the new value is refused. */
export function useSetting<T>(one: Setting<T>) {
  const { response, changes, problems, setChanges } = useSettingsForm();
  return {
    value: editedValue(response.settings, changes, one),
    problem: problems[one.key],
    change: (to: T, problem?: string) =>
      setChanges(withChange(response.settings, changes, one, to), one.key, problem),
  };
}

/** A whole number with unit, limits and default. */
export function NumberSetting({ setting, field }: { setting: Setting<number | null>; field: NumberField }) {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const { key } = setting;
  const { value, change } = useSetting(setting);
  const fallback = setting.of(response.defaults);
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
    <TextInput
      label={field.label}
      className="mono settings-number"
      inputMode="numeric"
      unit={field.unit ?? ''}
      value={typed}
      problem={problems[key]}
      hint={hintOf(setting, field.empty ? t.emptyMeans(field.empty) : '', t.default(standard))}
      onChange={(event) => {
        const parsed = parseNumber(field, event.target.value);
        setTyped(event.target.value);
        if ('problem' in parsed) setChanges(changes, key, parsed.problem);
        else change(parsed.value);
      }}
    />
  );
}

export function SwitchSetting({ setting }: { setting: Setting<boolean> }) {
  const { value, change } = useSetting(setting);
  return <Switch label={setting.field.label} hint={hintOf(setting)} checked={value} onChange={change} />;
}

/** One line of text; an empty one is null. */
export function TextSetting({ setting, field }: { setting: Setting<string | null>; field: TextField }) {
  const { value, problem, change } = useSetting(setting);
  return (
    <TextInput
      label={field.label}
      hint={hintOf(setting)}
      value={value ?? ''}
      maxLength={field.maxLength}
      problem={problem}
      onChange={(event) => change(event.target.value || null)}
    />
  );
}

/** One entry per line. */
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

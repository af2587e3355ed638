import { useEffect, useState } from 'react';
import { Field } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';
import type { Setting } from './draft.ts';
import {
  type DurationField,
  type DurationUnit,
  durationText,
  parseDuration,
  splitDuration,
  unitsOf,
} from './duration.ts';
import { hintOf, useSetting } from './inputs.tsx';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;

/** A duration: a number and its unit. The stored value stays in the unit of the contract. */
export function DurationSetting({
  setting,
  field,
}: {
  setting: Setting<number | null>;
  field: DurationField;
}) {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const { key } = setting;
  const { value, change } = useSetting(setting);
  const shownOf = (stored: number | null) =>
    stored === null
      ? { typed: '', unit: splitDuration(field, field.min).unit }
      : { typed: String(splitDuration(field, stored).number), unit: splitDuration(field, stored).unit };
  const [shown, setShown] = useState(() => shownOf(value));
  const changed = key in changes || key in problems;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a saved or discarded value replaces what was typed
  useEffect(() => {
    if (!changed) setShown(shownOf(value));
  }, [changed, value]);
  const edit = (typed: string, unit: DurationUnit) => {
    const parsed = parseDuration(field, typed, unit);
    setShown({ typed, unit: 'problem' in parsed ? unit : parsed.unit });
    if ('problem' in parsed) setChanges(changes, key, parsed.problem);
    else change(parsed.value);
  };
  const fallback = setting.of(response.defaults);
  const standard = fallback === null ? (field.empty ?? '') : durationText(field, fallback);
  return (
    <Field
      label={field.label}
      problem={problems[key]}
      hint={hintOf(setting, field.empty ? t.emptyMeans(field.empty) : '', t.default(standard))}
    >
      {({ id, describedBy, invalid }) => (
        <span className="field-row">
          <input
            id={id}
            aria-describedby={describedBy}
            aria-invalid={invalid || undefined}
            className="input mono settings-number"
            inputMode="numeric"
            autoComplete="off"
            spellCheck={false}
            value={shown.typed}
            onChange={(event) => edit(event.target.value, shown.unit)}
            // `10 min` becomes 10 and minutes, once it is typed.
            onBlur={() => setShown(({ typed, unit }) => ({ typed: typed.replace(/[^\d]+$/, ''), unit }))}
          />
          <select
            className="input settings-unit"
            aria-label={t.unitOf(field.label)}
            value={shown.unit}
            onChange={(event) => edit(shown.typed.replace(/[^\d]+$/, ''), event.target.value as DurationUnit)}
          >
            {unitsOf(field).map((unit) => (
              <option key={unit} value={unit}>
                {t.units[unit]}
              </option>
            ))}
          </select>
        </span>
      )}
    </Field>
  );
}

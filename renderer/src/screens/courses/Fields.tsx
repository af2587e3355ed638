import type { InputHTMLAttributes } from 'react';
import type { Shares } from '../../../../server/contract/courses/shares.ts';
import { TextField } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';

type Value = string | number | null;

/** The inputs of a form by the names of its fields. An empty field is null. */
export function Fields<K extends string>({
  inputs,
  words,
  values,
  onChange,
}: {
  inputs: Readonly<Record<K, InputHTMLAttributes<HTMLInputElement>>>;
  /** Label and hint of each. */
  words: Readonly<Record<NoInfer<K>, readonly [label: string, hint: string]>>;
  values: Readonly<Partial<Record<NoInfer<K>, Value>>>;
  onChange(change: Partial<Record<K, Value>>): void;
}) {
  const change = (name: K, value: string) =>
    onChange({
      [name]: value === '' ? null : inputs[name].type === 'number' ? Math.trunc(Number(value)) : value,
    } as Partial<Record<K, Value>>);
  return (
    <div className="course-grid">
      {(Object.keys(inputs) as K[]).map((name) => (
        <TextField
          key={name}
          label={words[name][0]}
          hint={words[name][1]}
          value={values[name] ?? ''}
          onChange={({ target }) => change(name, target.value)}
          {...inputs[name]}
        />
      ))}
    </div>
  );
}

const limit = (max: number) => ({ type: 'number', min: 1, max, placeholder: text.courses.noLimit });
/** Each limit with its maximum, from the contract. */
const LIMITS: Record<keyof Shares, InputHTMLAttributes<HTMLInputElement>> = {
  sessions: limit(10),
  session_minutes: limit(1440),
  day_minutes: limit(1440),
  queued_jobs: limit(100),
  idle_minutes: limit(240),
};

/** The limits of a course or of one member; an empty field is no limit. */
export function SharesFields({ shares, onChange }: { shares: Shares; onChange(shares: Shares): void }) {
  const put = (change: object) => onChange({ ...shares, ...change });
  return <Fields inputs={LIMITS} words={text.courses.shares} values={shares} onChange={put} />;
}

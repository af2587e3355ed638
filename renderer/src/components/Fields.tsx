import type { InputHTMLAttributes } from 'react';
import { TextField } from './Field.tsx';

type Value = string | number | null;

/** The inputs of a form by the names of its fields, side by side where there is room. An empty field is null. */
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
    <div className="tiles">
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

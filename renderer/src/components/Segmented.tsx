import { useId } from 'react';
import './field.css';

/** A few exclusive choices in a row, such as the number format. */
export function Segmented<Id extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { id: Id; label: string; title?: string }[];
  value: Id;
  onChange(id: Id): void;
}) {
  const name = useId();
  return (
    <fieldset className="segmented">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label key={option.id} title={option.title}>
          <input
            type="radio"
            className="sr-only"
            name={name}
            checked={option.id === value}
            onChange={() => onChange(option.id)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

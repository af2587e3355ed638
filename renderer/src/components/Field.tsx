import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import './field.css';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Why the service or the form refuses the value. */
  problem?: string | undefined;
  children(ids: { id: string; describedBy: string | undefined; invalid: boolean }): ReactNode;
}

/** Label, control, hint and problem, linked for screen readers. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const describedBy =
    [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ') || undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, describedBy, invalid: problem !== undefined })}
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p className="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

type InputProps = Omit<FieldProps, 'children'> & InputHTMLAttributes<HTMLInputElement> & { unit?: string };

export function TextField({ label, hint, problem, unit, className = '', ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <span className="field-row">
          <input
            id={id}
            aria-describedby={describedBy}
            aria-invalid={invalid || undefined}
            className={`input ${className}`}
            autoComplete="off"
            spellCheck={false}
            {...input}
          />
          {unit && <span className="field-unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

type TextAreaProps = Omit<FieldProps, 'children'> & TextareaHTMLAttributes<HTMLTextAreaElement>;

/** Several lines of text. */
export function TextAreaField({ label, hint, problem, className = '', ...area }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <textarea
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className={`input ${className}`}
          spellCheck={false}
          {...area}
        />
      )}
    </Field>
  );
}

type Options = { options: readonly { value: string; label: string }[] };

/** A select without a label of its own. */
export function Select({
  options,
  className = '',
  ...select
}: Options & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <select className={`input ${className}`} {...select}>
      {options.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

type SelectProps = Omit<FieldProps, 'children'> & Parameters<typeof Select>[0];

export function SelectField({ label, hint, problem, ...select }: SelectProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {({ id, describedBy, invalid }) => (
        <Select id={id} aria-describedby={describedBy} aria-invalid={invalid || undefined} {...select} />
      )}
    </Field>
  );
}

/** A switch that takes effect at once. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p className="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

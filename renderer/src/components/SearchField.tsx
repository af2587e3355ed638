import './field.css';

/** Filters a view while you type: `/` focuses it, Escape clears it, a second Escape leaves it. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
  onEnter,
  className = '',
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
  onEnter?: () => void;
  className?: string;
}) {
  return (
    <input
      type="search"
      className={`input ${className}`}
      data-search=""
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter?.();
        if (event.key !== 'Escape') return;
        if (value === '') event.currentTarget.blur();
        onChange('');
        event.stopPropagation();
      }}
    />
  );
}

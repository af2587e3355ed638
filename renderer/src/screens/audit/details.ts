import type { AuditEntry } from '../../../../server/contract/bench/audit.ts';
import { text } from '../../text/text.ts';

type Value = AuditEntry['details'][string];

const t = text.audit;

function valueText(field: string, value: Value): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'string') return value;
  if (field === 'bytes') return t.bytes(value);
  if (field === 'depth') return t.samples(value);
  return value.toLocaleString('en');
}

/** The details of an audit entry in words, one part for each fact: `File: echo.v`, `Size: 1,124 bytes`. */
export function describeDetails({ op, first, last, words, ...others }: AuditEntry['details']): string[] {
  const isRun =
    typeof op === 'string' &&
    typeof first === 'string' &&
    typeof last === 'string' &&
    typeof words === 'number';
  const rest = isRun || words === undefined ? others : { ...others, words };
  return [
    ...(isRun ? [t.words(op, first, last, words)] : []),
    ...Object.entries(rest).map(
      ([field, value]) => `${t.fields[field] ?? field}: ${valueText(field, value)}`,
    ),
  ];
}

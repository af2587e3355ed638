import {
  type NumberField,
  SETTING_FIELDS,
  type SettingField,
  scaleOf,
} from '../../server/contract/setting-fields.ts';
import { chapter, code, table } from './markdown.ts';

const withUnit = ({ unit }: NumberField, value: number | string): string =>
  unit === undefined ? String(value) : `${value} ${unit}`;

/** A value as the window shows it, with its unit. */
function shown(field: SettingField, value: unknown): string {
  if (value === null) return 'empty' in field ? (field.empty ?? '') : '';
  if (field.kind === 'switch') return value === true ? 'on' : 'off';
  if (field.kind !== 'number') return code(JSON.stringify(value));
  return withUnit(field, Number(value) / scaleOf(field));
}

const rangeOf = (field: SettingField): string =>
  field.kind === 'number'
    ? withUnit(field, `${field.min / scaleOf(field)} to ${field.max / scaleOf(field)}`)
    : '';

/** The tables of docs/settings.md. */
export const settingsTables = (): string =>
  Object.entries(SETTING_FIELDS)
    .map(([group, fields]) => {
      const rows = Object.entries<SettingField>(fields).map(([name, field]) => [
        code(name),
        field.label,
        shown(field, field.default),
        rangeOf(field),
        `${field.help}${field.restart ? ' **After a restart.**' : ''}`,
      ]);
      const head = ['Setting', 'In the window', 'Default', 'Range', 'Meaning'];
      return chapter(code(group), table(head, rows));
    })
    .join('\n\n');

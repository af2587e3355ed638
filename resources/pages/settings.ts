import { SETTING_FIELDS, type SettingField, scaleOf } from '../../server/contract/setting-fields.ts';
import { chapter, code, table } from './markdown.ts';

/** A value with its unit, as the GUI shows it. */
function shown(field: SettingField, value: unknown): string {
  if (value === null) return 'empty' in field ? (field.empty ?? '') : '';
  if (field.kind === 'switch') return value === true ? 'on' : 'off';
  if (field.kind !== 'number') return code(JSON.stringify(value));
  return `${Number(value) / scaleOf(field)}${field.unit === undefined ? '' : ` ${field.unit}`}`;
}

const rangeOf = (field: SettingField): string =>
  field.kind === 'number' ? `${shown(field, field.min)} to ${shown(field, field.max)}` : '';

/** The tables of docs/settings.md. */
export const settingsTables = (): string =>
  Object.entries(SETTING_FIELDS)
    .map(([group, fields]) => {
      const rows = Object.entries<SettingField>(fields).map(([name, field]) => [
        code(name),
        field.label,
        shown(field, field.default),
        rangeOf(field),
        `${field.help}${field.restart ? ' **Read at the start.**' : ''}`,
      ]);
      const head = ['Setting', 'In the window', 'Default', 'From, to', 'What it is'];
      return chapter(code(group), table(head, rows));
    })
    .join('\n\n');

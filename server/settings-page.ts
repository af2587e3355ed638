import { SETTING_FIELDS, type SettingField, scaleOf } from './contract/setting-fields.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** A value as the window shows it, with its unit. */
function shown(field: SettingField, value: unknown): string {
  if (value === null) return 'empty' in field ? (field.empty ?? '') : '';
  if (field.kind === 'switch') return value === true ? 'on' : 'off';
  if (field.kind !== 'number') return `\`${JSON.stringify(value)}\``;
  return `${Number(value) / scaleOf(field)}${field.unit === undefined ? '' : ` ${field.unit}`}`;
}

const rangeOf = (field: SettingField): string =>
  field.kind === 'number' ? `${shown(field, field.min)} to ${shown(field, field.max)}` : '';

/** The tables of docs/settings.md. */
export function settingsTables(): string {
  return Object.entries(SETTING_FIELDS)
    .map(([group, fields]) =>
      [
        `## \`${group}\``,
        '',
        '| Setting | In the window | Default | From, to | What it is |',
        '|---|---|---|---|---|',
        ...Object.entries<SettingField>(fields).map(([name, field]) =>
          [
            '',
            `\`${name}\``,
            cell(field.label),
            cell(shown(field, field.default)),
            rangeOf(field),
            cell(`${field.help}${field.restart ? ' **Read at the start.**' : ''}`),
            '',
          ]
            .join(' | ')
            .trim(),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

import type { Settings, SettingsPatch } from '../../../../server/contract/settings.ts';
import type { FieldProblem } from '../../api/errors.ts';

/** `group.field` → what it is changed to. */
export type Changes = Readonly<Record<string, unknown>>;

type Groups = Record<string, Record<string, unknown>>;

export const fieldKey = (group: string, name: string): string => `${group}.${name}`;

/** The value of a field as it is edited. */
export function editedValue<T>(settings: Settings, changes: Changes, group: string, name: string): T {
  const key = fieldKey(group, name);
  return (key in changes ? changes[key] : (settings as unknown as Groups)[group]?.[name]) as T;
}

/** Changes with one more; a value that is the kept one is no change. */
export function withChange(
  settings: Settings,
  changes: Changes,
  group: string,
  name: string,
  value: unknown,
): Changes {
  const key = fieldKey(group, name);
  const { [key]: _, ...others } = changes;
  const kept = (settings as unknown as Groups)[group]?.[name];
  return JSON.stringify(kept) === JSON.stringify(value) ? others : { ...others, [key]: value };
}

/** The body of PUT /settings. */
export function toPatch(changes: Changes): SettingsPatch {
  const patch: Groups = {};
  for (const [key, value] of Object.entries(changes)) {
    const [group = '', name = ''] = key.split('.');
    patch[group] = { ...patch[group], [name]: value };
  }
  return patch as SettingsPatch;
}

/** The service's problems by `group.field`; those that name no field under the empty key. */
export function problemsByField(fields: readonly FieldProblem[]): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { loc, msg } of fields) {
    const [, group, name] = loc;
    problems[group !== undefined && name !== undefined ? `${group}.${name}` : ''] = msg;
  }
  return problems;
}

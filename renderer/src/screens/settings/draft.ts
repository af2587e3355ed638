import type { Settings, SettingsPatch } from '../../../../server/contract/bench/settings.ts';
import type { FieldProblem } from '../../../../server/contract/failures.ts';
import { SETTING_FIELDS, type SettingField } from '../../../../server/contract/setting-fields.ts';

/** One setting: its place in the settings, its entry in the contract, and how to read it. */
export interface Setting<T, F extends SettingField = SettingField> {
  /** `group.field`, as in the service. */
  readonly key: string;
  readonly field: F;
  of(settings: Settings): T;
}

/** The setting of a group and a name. */
export const setting = <G extends keyof Settings, N extends keyof Settings[G] & string>(
  group: G,
  name: N,
): Setting<Settings[G][N]> => ({
  key: `${group}.${name}`,
  field: entriesOf(group)[name]!,
  of: (settings) => settings[group][name],
});

const entriesOf = (group: keyof Settings): Readonly<Record<string, SettingField>> => SETTING_FIELDS[group];

/** All settings of a group, in the order of the form. */
export const settingsOf = (group: keyof Settings): Setting<unknown>[] =>
  Object.entries(entriesOf(group)).map(([name, field]) => {
    const key = `${group}.${name}`;
    return { key, field, of: (settings) => keptValue(settings, key) };
  });

/** Key of a setting → its new value. */
export type Changes = Readonly<Record<string, unknown>>;

/** The value of a setting with the edits. */
export const editedValue = <T>(settings: Settings, changes: Changes, { key, of }: Setting<T>): T =>
  key in changes ? (changes[key] as T) : of(settings);

/** Adds a change; a value equal to the stored one removes it. */
export function withChange<T>(
  settings: Settings,
  changes: Changes,
  { key, of }: Setting<T>,
  value: T,
): Changes {
  const { [key]: _, ...others } = changes;
  return same(of(settings), value) ? others : { ...others, [key]: value };
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The stored values of those saved settings that are in the draft. */
export const valuesBefore = (settings: Settings, draft: Changes, changes: Changes): Changes =>
  Object.fromEntries(
    Object.keys(changes)
      .filter((key) => key in draft)
      .map((key) => [key, keptValue(settings, key)]),
  );

function keptValue(settings: Settings, key: string): unknown {
  const [group = '', name = ''] = key.split('.');
  const groups: Readonly<Record<string, object>> = settings;
  return Object.entries(groups[group] ?? {}).find(([field]) => field === name)?.[1];
}

/**
 * The changes without the saved ones. A change made meanwhile stays, also one back to the old value.
 * @param before old values of the saved settings: a missing change was set back to its old value
 */
export const withoutSaved = (changes: Changes, saved: Changes, before: Changes): Changes =>
  Object.fromEntries([
    ...Object.entries(changes).filter(([key, value]) => !(key in saved) || !same(saved[key], value)),
    ...Object.entries(before).filter(([key, value]) => !(key in changes) && !same(saved[key], value)),
  ]);

/** The body of PUT /settings. */
export function toPatch(changes: Changes): SettingsPatch {
  const patch: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(changes)) {
    const [group = '', name = ''] = key.split('.');
    patch[group] = { ...patch[group], [name]: value };
  }
  return patch;
}

/** The service's problems by `group.field`; those without a field under the empty key. */
export function problemsByField(fields: readonly FieldProblem[]): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { loc, msg } of fields) {
    const [, group, name] = loc;
    problems[group !== undefined && name !== undefined ? `${group}.${name}` : ''] = msg;
  }
  return problems;
}

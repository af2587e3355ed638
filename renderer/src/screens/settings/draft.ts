import type { FieldProblem } from '../../../../server/contract/failures.ts';
import type { Settings, SettingsPatch } from '../../../../server/contract/settings.ts';

/** One setting: its place in the settings, and how it is read from them. */
export interface Setting<T> {
  /** `group.field`, as the service names it. */
  readonly key: string;
  of(settings: Settings): T;
}

/** The setting of a group and a name. */
export const setting = <G extends keyof Settings, N extends keyof Settings[G] & string>(
  group: G,
  name: N,
): Setting<Settings[G][N]> => ({ key: `${group}.${name}`, of: (settings) => settings[group][name] });

/** Key of a setting → what it is changed to. */
export type Changes = Readonly<Record<string, unknown>>;

/** The value of a setting as it is edited. */
export const editedValue = <T>(settings: Settings, changes: Changes, { key, of }: Setting<T>): T =>
  key in changes ? (changes[key] as T) : of(settings);

/** Changes with one more; a value that is the kept one is no change. */
export function withChange<T>(
  settings: Settings,
  changes: Changes,
  { key, of }: Setting<T>,
  value: T,
): Changes {
  const { [key]: _, ...others } = changes;
  return JSON.stringify(of(settings)) === JSON.stringify(value) ? others : { ...others, [key]: value };
}

/** Changes without those that were saved; what was changed again meanwhile stays. */
export const withoutSaved = (changes: Changes, saved: Changes): Changes =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([key, value]) => !(key in saved) || JSON.stringify(saved[key]) !== JSON.stringify(value),
    ),
  );

/** The body of PUT /settings. */
export function toPatch(changes: Changes): SettingsPatch {
  const patch: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(changes)) {
    const [group = '', name = ''] = key.split('.');
    patch[group] = { ...patch[group], [name]: value };
  }
  return patch;
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

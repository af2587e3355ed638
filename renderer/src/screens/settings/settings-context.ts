import { createContext, useContext } from 'react';
import type { SettingsResponse } from '../../../../server/contract/bench/bench.ts';
import type { Changes } from './draft.ts';

/** What the sections of the settings share. */
interface SettingsForm {
  response: SettingsResponse;
  changes: Changes;
  /** `group.field` → why its value is refused. */
  problems: Readonly<Record<string, string>>;
  setChanges(changes: Changes, key: string, problem: string | undefined): void;
  /** Saves only these changes, at once; false after a refusal. */
  applyNow(changes: Changes): Promise<boolean>;
}

export const SettingsContext = createContext<SettingsForm | undefined>(undefined);

export function useSettingsForm(): SettingsForm {
  const form = useContext(SettingsContext);
  if (form === undefined) throw new Error('A section of the settings outside of the settings screen.');
  return form;
}

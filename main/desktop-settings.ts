import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Type from 'typebox';
import type { DesktopSettings } from '../preload/bridge.ts';
import { type Check, checkOf } from '../server/contract/check.ts';
import { renameOverSync } from '../server/store/filesystem.ts';

/** Settings of the desktop application itself, separate from those of the service. */
export const DesktopSettingsSchema = Type.Object(
  {
    notifications: Type.Boolean(),
    closeToTray: Type.Union([Type.Literal('while-busy'), Type.Literal('always')]),
    updateFeed: Type.Union([Type.Literal(''), Type.String({ pattern: '^https?://', maxLength: 2000 })]),
    theme: Type.Union([Type.Literal('system'), Type.Literal('light'), Type.Literal('dark')]),
  },
  { additionalProperties: false },
);

export const DEFAULT_DESKTOP_SETTINGS: DesktopSettings = {
  notifications: true,
  closeToTray: 'while-busy',
  updateFeed: '',
  theme: 'system',
};

/** A small JSON file that is checked when read and replaced whole when written. */
export class JsonFile<T extends object> {
  readonly #file: string;
  #value: T;

  /** Missing fields come from `initial`; so does everything where the file is missing or invalid. */
  constructor(file: string, initial: T, check: Check<T>) {
    this.#file = file;
    this.#value = initial;
    try {
      const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const whole: unknown = typeof kept === 'object' ? { ...initial, ...kept } : kept;
      if (check(whole)) this.#value = whole;
    } catch {
      // Missing or damaged: these settings are conveniences, so use the defaults.
    }
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    mkdirSync(path.dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, JSON.stringify(value, null, 2));
    renameOverSync(`${this.#file}.new`, this.#file);
  }
}

const isDesktopSettings = checkOf(DesktopSettingsSchema);

export const openDesktopSettings = (folder: string): JsonFile<DesktopSettings> =>
  new JsonFile(path.join(folder, 'desktop.json'), DEFAULT_DESKTOP_SETTINGS, isDesktopSettings);

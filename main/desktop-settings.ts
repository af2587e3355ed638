import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import type { DesktopSettings } from '../preload/bridge.ts';

/** Settings of the desktop application itself; those of the service are the service's. */
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
} satisfies Static<typeof DesktopSettingsSchema>;

/** A small JSON file that is checked when read and replaced whole when written. */
export class JsonFile<T> {
  readonly #file: string;
  #value: T;

  /** `check` returns the value when it is sound; anything else, or a missing file, becomes `initial`. */
  constructor(file: string, initial: T, check: (value: unknown) => T | null) {
    this.#file = file;
    this.#value = initial;
    try {
      this.#value = check(JSON.parse(readFileSync(file, 'utf8'))) ?? initial;
    } catch {
      // Absent or damaged: these are conveniences, so the defaults do.
    }
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    mkdirSync(path.dirname(this.#file), { recursive: true });
    writeFileSync(`${this.#file}.new`, JSON.stringify(value, null, 2));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

export function openDesktopSettings(folder: string): JsonFile<DesktopSettings> {
  return new JsonFile(path.join(folder, 'desktop.json'), DEFAULT_DESKTOP_SETTINGS, (value) => {
    const whole = { ...DEFAULT_DESKTOP_SETTINGS, ...(value as object) };
    return Value.Check(DesktopSettingsSchema, whole) ? whole : null;
  });
}

import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import {
  DEFAULT_SETTINGS,
  type IdentityProvider,
  type ListedBench,
  REDACTED_KEY,
  Settings,
  type SettingsPatch,
} from './contract/bench/settings.ts';
import { NEEDS_RESTART } from './contract/setting-fields.ts';

/** Storage of the settings. `write` resolves when they are on disk. */
export interface SettingsDocument {
  /** The stored value, unchecked; undefined when there is none. */
  read(): unknown;
  write(value: Settings): Promise<void>;
}

/** An invalid field of a patch: `loc` as in a 422 body. */
export interface SettingsProblem {
  loc: string[];
  msg: string;
}

type Groups = Record<string, Record<string, unknown>>;

/** Every `group.field` in which two settings differ. */
function differences(a: Settings, b: Settings): string[] {
  return Object.entries(a as Groups).flatMap(([group, fields]) =>
    Object.keys(fields)
      .filter((field) => JSON.stringify(fields[field]) !== JSON.stringify((b as Groups)[group]?.[field]))
      .map((field) => `${group}.${field}`),
  );
}

function merge(current: Settings, patch: SettingsPatch): Settings {
  const merged: Groups = structuredClone(current) as Groups;
  for (const [group, fields] of Object.entries(patch as Groups)) Object.assign(merged[group] ?? {}, fields);
  return merged as Settings;
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Provider tokens must not go over plain http, except to a provider on this computer. */
function providerProblem(provider: IdentityProvider): string | null {
  if (provider.kind === 'none') return null;
  const text = provider.kind === 'oidc' ? provider.issuer : provider.user_url;
  if (!URL.canParse(text)) return 'This is not a URL.';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password.';
  if (url.protocol === 'https:' || LOOPBACK_NAMES.has(url.hostname)) return null;
  return 'The provider must be reached over https.';
}

/** The problem of a list of known benches whose entries have the right form. */
function benchesProblem(known: readonly ListedBench[], kept: readonly ListedBench[]): string | null {
  const names = new Set<string>();
  for (const { name, address, key } of known) {
    if (name === 'own') return 'Another bench cannot be called “own”: that name is this bench.';
    if (names.has(name)) return `Two benches are called “${name}”.`;
    names.add(name);
    // Such an address needs a zone, which no URL allows.
    if (/^https?:\/\/\[fe[89ab][0-9a-f]:/i.test(address))
      return `The address of “${name}” is a link-local IPv6 address (fe80…), which cannot be used here: give its name, its IPv4 address or another IPv6 address.`;
    if (!URL.canParse(address)) return `The address of “${name}” is not a URL.`;
    // A stored key goes only to the bench that it was entered for.
    if (key === REDACTED_KEY && !kept.some((one) => one.name === name && one.address === address))
      return `The key of “${name}” was stored for another name or address: enter it again.`;
  }
  return null;
}

/** The benches of a patch, with stored keys filled in. */
const withKeptKeys = (known: readonly ListedBench[], kept: readonly ListedBench[]): ListedBench[] =>
  known.map((bench) =>
    bench.key === REDACTED_KEY
      ? { ...bench, key: kept.find(({ name }) => name === bench.name)?.key ?? null }
      : bench,
  );

/** The schema of each field, by group. */
const SCHEMAS: Readonly<Record<string, { properties: Readonly<Record<string, TSchema>> }>> =
  Settings.properties;

/** Takes every valid field of `kept` and reports the others, which get their defaults. */
function restore(
  kept: unknown,
  damaged: boolean,
): { settings: Settings; refused: string[]; distrusted: boolean } {
  const settings = structuredClone(DEFAULT_SETTINGS) as Groups;
  const refused: string[] = [];
  if (typeof kept === 'object' && kept !== null) {
    for (const [group, fields] of Object.entries(settings)) {
      const keptGroup: unknown = (kept as Groups)[group];
      if (keptGroup === undefined) continue;
      if (typeof keptGroup !== 'object' || keptGroup === null || Array.isArray(keptGroup)) {
        refused.push(group);
        continue;
      }
      for (const field of Object.keys(fields)) {
        const value = (keptGroup as Record<string, unknown>)[field];
        if (value === undefined) continue;
        const schema = SCHEMAS[group]?.properties[field];
        if (schema && Value.Check(schema, value)) fields[field] = value;
        else refused.push(`${group}.${field}`);
      }
    }
  }
  const restored = settings as Settings;
  if (providerProblem(restored.auth.identity_provider) !== null) {
    refused.push('auth.identity_provider');
    restored.auth.identity_provider = DEFAULT_SETTINGS.auth.identity_provider;
  }
  if (benchesProblem(restored.benches.known, []) !== null) {
    refused.push('benches.known');
    restored.benches.known = [];
  }
  // An invalid enforcement setting means an edited or damaged file: then enforcement is on.
  const { auth } = (kept ?? {}) as { auth?: { enforcement?: unknown } };
  const distrusted = damaged || refused.some((name) => name === 'auth' || name === 'auth.enforcement');
  if (distrusted || (restored.network.lan && auth?.enforcement !== false)) restored.auth.enforcement = true;
  return { settings: restored, refused, distrusted };
}

export interface SettingsOptions {
  /** A start option opens the LAN, whatever the settings are. */
  lanByOption?: boolean;
  /** The stored value is not the one written last. */
  damaged?: boolean;
}

/**
 * The settings in force. In `current`, fields of NEEDS_RESTART keep their value from the start; `kept` has the new one.
 */
export class BenchSettings {
  readonly #document: SettingsDocument;
  readonly #listeners = new Set<(settings: Settings, changed: string[]) => void>();
  #atStart: Settings;
  #kept: Settings;
  /** Enforcement in force; differs from the stored setting only when a start option opened the LAN. */
  #enforcement: boolean;
  #lan: boolean;
  #current: Settings | undefined;
  /** Changes are made one at a time. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Invalid fields of the stored document, which have their defaults. */
  readonly refused: readonly string[];
  /** Enforcement is on because its stored setting was invalid. */
  readonly distrusted: boolean;

  constructor(document: SettingsDocument, options: SettingsOptions = {}) {
    this.#document = document;
    const { settings, refused, distrusted } = restore(document.read(), options.damaged ?? false);
    this.refused = refused;
    this.distrusted = distrusted;
    this.#kept = settings;
    this.#atStart = structuredClone(settings);
    this.#lan = settings.network.lan || options.lanByOption === true;
    // Opening the LAN switches enforcement on; "LAN without enforcement" must be set explicitly.
    this.#enforcement = settings.auth.enforcement || (this.#lan && !settings.network.lan);
  }

  /** The settings in force, read-only. */
  get current(): Settings {
    this.#current ??= this.#inForce();
    return this.#current;
  }

  #inForce(): Settings {
    const now = structuredClone(this.#kept) as Groups;
    for (const name of NEEDS_RESTART) {
      const [group = '', field = ''] = name.split('.');
      (now[group] as Record<string, unknown>)[field] = (this.#atStart as Groups)[group]?.[field];
    }
    const settings = now as Settings;
    settings.network.lan = this.#lan;
    settings.auth.enforcement = this.#enforcement;
    return settings;
  }

  /** The settings for an editor: LAN and enforcement as they are in force. */
  get edited(): Settings {
    const settings = structuredClone(this.#kept);
    settings.network.lan = this.#lan;
    settings.auth.enforcement = this.#enforcement;
    return settings;
  }

  /** The same without secrets: keys of remote benches are never shown. */
  get shown(): Settings {
    const settings = this.edited;
    for (const bench of settings.benches.known) if (bench.key != null) bench.key = REDACTED_KEY;
    return settings;
  }

  /** Enforcement is on only because of a start option, and was off before. */
  get enforcedByOption(): boolean {
    return this.#enforcement && !this.#kept.auth.enforcement;
  }

  /** Changed `group.field`s that need a restart. */
  get restartRequired(): string[] {
    const changed = new Set(differences(this.#atStart, this.#kept));
    return NEEDS_RESTART.filter((name) => changed.has(name));
  }

  /** Sentences about the settings in force for the operator. */
  get notices(): string[] {
    const notices: string[] = [];
    if (this.#lan && !this.#enforcement)
      notices.push(
        'Callers on the LAN are recorded but not refused: everyone who reaches this address can run designs and reset boards.',
      );
    if (this.distrusted && this.#enforcement)
      notices.push(
        'The stored setting of enforcement could not be read, so keys are enforced. Check the settings and set it again.',
      );
    if (this.#enforcement && this.#kept.auth.identity_provider.kind === 'none')
      notices.push(
        'Keys are enforced but no identity provider is set, so users cannot get a new key. Set one in the settings.',
      );
    return notices;
  }

  /** The problems of a patch of the right form; empty when it can be applied. */
  problems(patch: SettingsPatch): SettingsProblem[] {
    const problems: SettingsProblem[] = [];
    const provider = patch.auth?.identity_provider;
    const wrong = provider ? providerProblem(provider) : null;
    if (wrong) problems.push({ loc: ['auth', 'identity_provider'], msg: wrong });
    const unknown = benchesProblem(patch.benches?.known ?? [], this.#kept.benches.known);
    if (unknown) problems.push({ loc: ['benches', 'known'], msg: unknown });
    const opensLan = patch.network?.lan === true && !this.#lan;
    if (opensLan && patch.auth?.enforcement === false)
      problems.push({
        loc: ['auth', 'enforcement'],
        msg: 'Listening on the LAN switches enforcement on. Switch it off afterwards, in a separate request.',
      });
    return problems;
  }

  /** Applies and stores a checked patch. Resolves with the changed fields when they are on disk. */
  apply(patch: SettingsPatch): Promise<string[]> {
    const applied = this.#queue.then(() => this.#applyNow(patch));
    this.#queue = applied.catch(() => {});
    return applied;
  }

  async #applyNow(patch: SettingsPatch): Promise<string[]> {
    const before = this.edited;
    const kept = merge(this.#kept, patch);
    kept.benches.known = withKeptKeys(kept.benches.known, this.#kept.benches.known);
    const lan = patch.network?.lan ?? this.#lan;
    const opensLan = lan && !this.#lan;
    const enforcement = opensLan || (patch.auth?.enforcement ?? this.#enforcement);
    // A LAN opened by a start option is not stored; one opened by an operator is stored with its enforcement.
    if (patch.network?.lan === true) kept.auth.enforcement = enforcement;
    if (differences(this.#kept, kept).length > 0) await this.#document.write(kept);
    this.#kept = kept;
    this.#lan = lan;
    this.#enforcement = enforcement;
    this.#current = undefined;
    const changed = differences(before, this.edited);
    if (changed.length > 0) for (const listener of this.#listeners) listener(this.current, changed);
    return changed;
  }

  /** Calls back after every change with the settings in force; returns the function that ends it. */
  onChange(listener: (settings: Settings, changed: string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Settings in memory only. */
export function memorySettings(initial: SettingsPatch = {}): SettingsDocument {
  let kept: unknown = merge(DEFAULT_SETTINGS, initial);
  return {
    read: () => kept,
    async write(value) {
      kept = value;
    },
  };
}

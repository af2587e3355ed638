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

/** Where the settings are kept between starts. `write` resolves when they are on disk. */
export interface SettingsDocument {
  /** What was kept, unchecked; undefined when nothing was. */
  read(): unknown;
  write(value: Settings): Promise<void>;
}

/** A field of a patch that cannot be: `loc` as in a 422 body. */
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

/** Provider tokens must not travel in the clear, except to a provider on this computer. */
function providerProblem(provider: IdentityProvider): string | null {
  if (provider.kind === 'none') return null;
  const text = provider.kind === 'oidc' ? provider.issuer : provider.user_url;
  if (!URL.canParse(text)) return 'This is not a URL.';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password.';
  if (url.protocol === 'https:' || LOOPBACK_NAMES.has(url.hostname)) return null;
  return 'The provider must be reached over https.';
}

/** What is wrong with the list of known benches, whose entries have the right form. */
function benchesProblem(known: readonly ListedBench[], kept: readonly ListedBench[]): string | null {
  const names = new Set<string>();
  for (const { name, address, key } of known) {
    if (name === 'own') return 'No other bench can be called “own”: that is this one.';
    if (names.has(name)) return `Two benches are called “${name}”.`;
    names.add(name);
    // Good on one cable alone; behind a % it would say which, and no URL may.
    if (/^https?:\/\/\[fe[89ab][0-9a-f]:/i.test(address))
      return `The address of “${name}” is an IPv6 address of one link (fe80…), which cannot be called from here: write its name, its IPv4 address or another IPv6 address.`;
    if (!URL.canParse(address)) return `The address of “${name}” is not a URL.`;
    // A kept key goes to nobody but the bench that it was given for.
    if (key === REDACTED_KEY && !kept.some((one) => one.name === name && one.address === address))
      return `The key of “${name}” was kept for another name or address: give it again.`;
  }
  return null;
}

/** The benches of a patch with the keys that are to stay as they are kept. */
const withKeptKeys = (known: readonly ListedBench[], kept: readonly ListedBench[]): ListedBench[] =>
  known.map((bench) =>
    bench.key === REDACTED_KEY
      ? { ...bench, key: kept.find(({ name }) => name === bench.name)?.key ?? null }
      : bench,
  );

/** The schema of each field, by group. */
const SCHEMAS: Readonly<Record<string, { properties: Readonly<Record<string, TSchema>> }>> =
  Settings.properties;

/** Takes from `kept` every field that is valid and reports the others; the rest is the defaults. */
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
  // Without a sound word on enforcement the file is edited or damaged: then it is enforced.
  const { auth } = (kept ?? {}) as { auth?: { enforcement?: unknown } };
  const distrusted = damaged || refused.some((name) => name === 'auth' || name === 'auth.enforcement');
  if (distrusted || (restored.network.lan && auth?.enforcement !== false)) restored.auth.enforcement = true;
  return { settings: restored, refused, distrusted };
}

export interface SettingsOptions {
  /** A start option puts the service on the LAN, whatever is kept. */
  lanByOption?: boolean;
  /** What is kept is not what was written last. */
  damaged?: boolean;
}

/**
 * The settings in force. Fields in NEEDS_RESTART keep the value that they had at the start in `current`, while
 * `kept` has what was asked for.
 */
export class BenchSettings {
  readonly #document: SettingsDocument;
  readonly #listeners = new Set<(settings: Settings, changed: string[]) => void>();
  #atStart: Settings;
  #kept: Settings;
  /** Enforcement in force: differs from what is kept when only a start option opened the LAN. */
  #enforcement: boolean;
  #lan: boolean;
  #current: Settings | undefined;
  /** Changes are made one after the other. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Fields of the kept document that were not valid and are the defaults now. */
  readonly refused: readonly string[];
  /** Enforcement is on because what was kept of it could not be trusted. */
  readonly distrusted: boolean;

  constructor(document: SettingsDocument, options: SettingsOptions = {}) {
    this.#document = document;
    const { settings, refused, distrusted } = restore(document.read(), options.damaged ?? false);
    this.refused = refused;
    this.distrusted = distrusted;
    this.#kept = settings;
    this.#atStart = structuredClone(settings);
    this.#lan = settings.network.lan || options.lanByOption === true;
    // Opening the LAN switches enforcement on with it; kept as "LAN without enforcement" it was a separate act.
    this.#enforcement = settings.auth.enforcement || (this.#lan && !settings.network.lan);
  }

  /** What is in force now. Not to be changed. */
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

  /** What is kept, as an editor shows it: LAN and enforcement as they are in force. */
  get edited(): Settings {
    const settings = structuredClone(this.#kept);
    settings.network.lan = this.#lan;
    settings.auth.enforcement = this.#enforcement;
    return settings;
  }

  /** The same without secrets: the keys of other benches are never shown again. */
  get shown(): Settings {
    const settings = this.edited;
    for (const bench of settings.benches.known) if (bench.key != null) bench.key = REDACTED_KEY;
    return settings;
  }

  /** Enforcement holds by a start option alone: at the end of the start before it did not. */
  get enforcedByOption(): boolean {
    return this.#enforcement && !this.#kept.auth.enforcement;
  }

  /** `group.field` of what was changed and waits for a restart. */
  get restartRequired(): string[] {
    const changed = new Set(differences(this.#atStart, this.#kept));
    return NEEDS_RESTART.filter((name) => changed.has(name));
  }

  /** Sentences that an operator should know about the settings in force. */
  get notices(): string[] {
    const notices: string[] = [];
    if (this.#lan && !this.#enforcement)
      notices.push(
        'Callers on the LAN are recorded but not refused: anybody who reaches this address can run designs and reset boards.',
      );
    if (this.distrusted && this.#enforcement)
      notices.push(
        'What was set of enforcement could not be read, so keys are enforced: look at the settings and set it again.',
      );
    if (this.#enforcement && this.#kept.auth.identity_provider.kind === 'none')
      notices.push(
        'Keys are enforced but no identity provider is set, so nobody can get a new key: set one in the settings.',
      );
    return notices;
  }

  /** What is wrong with a patch that has the right form; empty when it can be put in force. */
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
        msg: 'Listening on the LAN switches enforcement on. Switch it off afterwards, in a request of its own.',
      });
    return problems;
  }

  /** Puts a checked patch in force and keeps it. Resolves with the changed fields when they are on disk. */
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
    // What a start option opened is not kept; what an operator opened is kept with the enforcement that it has.
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

  /** Calls back after every change with what is in force; returns the function that ends it. */
  onChange(listener: (settings: Settings, changed: string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Settings for the life of the process only. */
export function memorySettings(initial: SettingsPatch = {}): SettingsDocument {
  let kept: unknown = merge(DEFAULT_SETTINGS, initial);
  return {
    read: () => kept,
    async write(value) {
      kept = value;
    },
  };
}

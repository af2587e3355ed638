import type { KnownBench } from '../../../../server/contract/settings.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Switch, TextField } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';
import { editedValue, type Setting, setting, withChange } from './draft.ts';
import { Section } from './inputs.tsx';
import { useSettingsForm } from './settings-context.ts';

const t = text.benches.settings;
const TITLE = setting('benches', 'title');
const DISCOVER = setting('benches', 'discover');
const OVERFLOW = setting('benches', 'overflow');
const KNOWN = setting('benches', 'known');

/** One bench of the list. A key that is kept is never shown: what is typed takes its place. */
function KnownRow({
  bench,
  onChange,
  onRemove,
}: {
  bench: KnownBench;
  onChange(bench: KnownBench): void;
  onRemove(): void;
}) {
  const { name, address, key = null, fingerprint = null } = bench;
  // What the service shows in place of a key that it keeps.
  const kept = key === '(kept)';
  return (
    <fieldset className="known-bench">
      <legend className="sr-only">{t.bench(name)}</legend>
      <TextField
        label={t.name}
        className="mono"
        value={name}
        maxLength={40}
        onChange={(event) => onChange({ ...bench, name: event.target.value.trim().toLowerCase() })}
      />
      <TextField
        label={t.address}
        className="mono"
        placeholder={t.addressExample}
        value={address}
        maxLength={300}
        onChange={(event) => onChange({ ...bench, address: event.target.value.trim() })}
      />
      <TextField
        label={t.key}
        type="password"
        placeholder={kept ? t.keyKept : ''}
        value={kept ? '' : (key ?? '')}
        maxLength={512}
        onChange={(event) => onChange({ ...bench, key: event.target.value.trim() || null })}
      />
      <TextField
        label={t.fingerprint}
        className="mono"
        value={fingerprint ?? ''}
        onChange={(event) => onChange({ ...bench, fingerprint: event.target.value.trim() || null })}
      />
      <IconButton icon="trash" label={t.remove(name)} onClick={onRemove} />
    </fieldset>
  );
}

/** Which other benches there are, and whether they take work. */
export function BenchesSection() {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const value = <T,>(one: Setting<T>) => editedValue(response.settings, changes, one);
  const change = <T,>(one: Setting<T>, to: T) =>
    setChanges(withChange(response.settings, changes, one, to), one.key, undefined);
  const known = value(KNOWN);
  return (
    <Section title={t.title}>
      <TextField
        label={t.ownTitle}
        hint={t.ownTitleHint}
        value={value(TITLE) ?? ''}
        maxLength={64}
        problem={problems[TITLE.key]}
        onChange={(event) => change(TITLE, event.target.value || null)}
      />
      <Switch
        label={t.discover}
        hint={t.discoverHint}
        checked={value(DISCOVER)}
        onChange={(on) => change(DISCOVER, on)}
      />
      <Switch
        label={t.overflow}
        hint={t.overflowHint}
        checked={value(OVERFLOW)}
        onChange={(on) => change(OVERFLOW, on)}
      />
      <div className="settings-wide stack">
        {known.map((bench, at) => (
          <KnownRow
            // biome-ignore lint/suspicious/noArrayIndexKey: its name is edited, its place is not
            key={at}
            bench={bench}
            onChange={(next) => change(KNOWN, known.with(at, next))}
            onRemove={() => change(KNOWN, known.toSpliced(at, 1))}
          />
        ))}
        {problems[KNOWN.key] && (
          <p className="field-problem" role="alert">
            {problems[KNOWN.key]}
          </p>
        )}
        <div>
          <Button
            disabled={known.length >= 32}
            onClick={() => change(KNOWN, [...known, { name: '', address: '' }])}
          >
            {t.add}
          </Button>
        </div>
      </div>
    </Section>
  );
}

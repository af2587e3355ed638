import type { ListedBench } from '../../../../server/contract/bench/settings.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { TextField } from '../../components/Field.tsx';
import { text } from '../../text/text.ts';
import { setting } from './draft.ts';
import { useSetting } from './inputs.tsx';

const t = text.benches.settings;
const KNOWN = setting('benches', 'known');

/** One bench of the list. A stored key is never shown; typing replaces it. */
function KnownRow({
  bench,
  onChange,
  onRemove,
}: {
  bench: ListedBench;
  onChange(bench: ListedBench): void;
  onRemove(): void;
}) {
  const { name, address, key = null, fingerprint = null } = bench;
  // The service's placeholder for a stored key.
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

/** The benches that the settings list by address. */
export function ListedBenches() {
  const { value: known, problem, change } = useSetting(KNOWN);
  return (
    <div className="settings-wide stack">
      {known.map((bench, at) => (
        <KnownRow
          // biome-ignore lint/suspicious/noArrayIndexKey: its name is edited, its place is not
          key={at}
          bench={bench}
          onChange={(next) => change(known.with(at, next))}
          onRemove={() => change(known.toSpliced(at, 1))}
        />
      ))}
      {problem && (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
      <div>
        <Button disabled={known.length >= 32} onClick={() => change([...known, { name: '', address: '' }])}>
          {t.add}
        </Button>
      </div>
    </div>
  );
}

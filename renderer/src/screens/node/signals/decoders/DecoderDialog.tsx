import { useState } from 'react';
import type { DecoderRow } from '../../../../../../server/contract/signals/decoders.ts';
import { Button } from '../../../../components/Button.tsx';
import { Dialog } from '../../../../components/Dialog.tsx';
import { SelectField, TextField } from '../../../../components/Field.tsx';
import { text } from '../../../../text/text.ts';
import { rolesOf } from './decode.ts';
import { type DecoderForm, formOf, guessSignals, PARITIES, PROTOCOLS, rowOf } from './decoder-form.ts';

const t = text.decoders;
const LIST = 'decoder-signals';

interface Props {
  /** The row to edit; undefined for a new one. */
  row?: DecoderRow | undefined;
  title: string;
  /** Signals of the design, those of the view first. */
  names: readonly string[];
  onSave(row: DecoderRow): void;
  onClose(): void;
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    value: String(from + index),
    label: String(from + index),
  }));

/** The settings of a decoder: protocol, signals and format. */
export function DecoderDialog({ row, title, names, onSave, onClose }: Props) {
  const [form, setForm] = useState(() => formOf(row, names));
  const put = (change: Partial<DecoderForm>) => setForm({ ...form, ...change });
  const known = new Set(names);
  // A part of a signal is as good: count[3].
  const made = rowOf(form, (name) => known.has(name) || known.has(name.replace(/\[\d+(:\d+)?\]$/, '')));
  const problems: Readonly<Record<string, string>> = 'problems' in made ? made.problems : {};
  const check = (field: 'isInverted' | 'isLsbFirst', label: string) => (
    <label className="decoder-check">
      <input
        type="checkbox"
        checked={form[field]}
        onChange={(event) => put({ [field]: event.target.checked })}
      />{' '}
      {label}
    </label>
  );
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button
            kind="primary"
            disabled={!('row' in made)}
            onClick={() => {
              if (!('row' in made)) return;
              onSave(made.row);
              onClose();
            }}
          >
            {text.save}
          </Button>
        </>
      }
    >
      <datalist id={LIST}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="decoder-form">
        <SelectField
          label={t.protocol}
          data-first-focus=""
          options={PROTOCOLS.map((value) => ({ value, label: t.protocols[value] }))}
          value={form.protocol}
          onChange={(event) => {
            const protocol = PROTOCOLS.find((one) => one === event.target.value);
            if (protocol) put({ protocol, signals: guessSignals(protocol, names) });
          }}
        />
        {rolesOf(form.protocol).map(({ role, needed }) => (
          <TextField
            key={role}
            label={t.roles[role] ?? role}
            className="mono"
            list={LIST}
            placeholder={needed ? '' : t.none}
            value={form.signals[role] ?? ''}
            problem={form.signals[role] || role === 'mosi' ? problems[role] : undefined}
            onChange={(event) => put({ signals: { ...form.signals, [role]: event.target.value } })}
          />
        ))}
        {form.protocol === 'uart' && (
          <>
            <TextField
              label={t.baud}
              inputMode="numeric"
              placeholder={t.automatic}
              value={form.baud}
              problem={problems['baud']}
              onChange={(event) => put({ baud: event.target.value })}
            />
            <SelectField
              label={t.dataBits}
              options={numbers(5, 9)}
              value={form.dataBits}
              onChange={(event) => put({ dataBits: event.target.value })}
            />
            <SelectField
              label={t.parity}
              options={PARITIES.map((value) => ({ value, label: t.parities[value] }))}
              value={form.parity}
              onChange={(event) =>
                put({ parity: PARITIES.find((one) => one === event.target.value) ?? 'none' })
              }
            />
            <SelectField
              label={t.stopBits}
              options={numbers(1, 2)}
              value={form.stopBits}
              onChange={(event) => put({ stopBits: event.target.value })}
            />
            {check('isInverted', t.inverted)}
          </>
        )}
        {form.protocol === 'spi' && (
          <>
            <SelectField
              label={t.mode}
              options={t.modes.map((label, value) => ({ value: String(value), label }))}
              value={form.mode}
              onChange={(event) => put({ mode: event.target.value })}
            />
            <TextField
              label={t.wordBits}
              inputMode="numeric"
              value={form.wordBits}
              problem={problems['wordBits']}
              onChange={(event) => put({ wordBits: event.target.value })}
            />
            {check('isLsbFirst', t.lsbFirst)}
          </>
        )}
        <TextField
          label={t.title}
          maxLength={64}
          value={form.title}
          onChange={(event) => put({ title: event.target.value })}
        />
      </div>
      <p className="field-hint">{t.hint}</p>
    </Dialog>
  );
}

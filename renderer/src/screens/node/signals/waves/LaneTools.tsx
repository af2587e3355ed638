import { useState } from 'react';
import { CURVES, WAVE_FORMATS } from '../../../../../../server/contract/signals/wave-formats.ts';
import type { WaveRow } from '../../../../../../server/contract/signals/waves.ts';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { Dialog } from '../../../../components/Dialog.tsx';
import { text } from '../../../../text/text.ts';
import { DecoderDialog } from '../decoders/DecoderDialog.tsx';
import { type Lane, movedRow, type SignalLane } from './lanes.ts';
import { namesText, parseNames } from './value-text.ts';

const t = text.signals;

/** The dialog for names of values. */
function NamesDialog({
  lane,
  typed,
  onSave,
  onClose,
}: {
  lane: SignalLane;
  typed: Readonly<Record<string, string>>;
  onSave(names: Readonly<Record<string, string>>): void;
  onClose(): void;
}) {
  const [lines, setLines] = useState(() => namesText(typed));
  const names = parseNames(lines);
  return (
    <Dialog
      title={t.nameValuesTitle(lane.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button
            kind="primary"
            disabled={names === null}
            onClick={() => {
              if (names === null) return;
              onSave(names);
              onClose();
            }}
          >
            {text.save}
          </Button>
        </>
      }
    >
      <textarea
        className="input mono waves-names-text"
        rows={8}
        data-first-focus=""
        aria-label={t.nameValuesTitle(lane.name)}
        aria-invalid={names === null || undefined}
        aria-describedby="names-hint"
        value={lines}
        onChange={(event) => setLines(event.target.value)}
      />
      <p id="names-hint" className={names === null ? 'field-problem' : 'field-hint'}>
        {names === null ? t.nameValuesProblem : t.nameValuesHint}
      </p>
    </Dialog>
  );
}

interface Props {
  lane: Lane | undefined;
  rows: readonly WaveRow[];
  /** Signals of the design, for decoders. */
  names: readonly string[];
  onChange(rows: readonly WaveRow[]): void;
}

/** The tools of the selected row: position, group, format. */
export function LaneTools({ lane, rows, names, onChange }: Props) {
  const [naming, setNaming] = useState(false);
  const [editing, setEditing] = useState(false);
  if (lane === undefined || lane.kind === 'transfers') return null;
  const { index } = lane;
  const row = rows[index];
  if (!row) return null;
  const name = row.kind === 'signal' ? row.name : lane.kind === 'signal' ? '' : lane.title;
  const put = (next: WaveRow) => onChange(rows.with(index, next));
  return (
    <fieldset className="lane-tools">
      <legend className="sr-only">{t.selected(name)}</legend>
      {row.kind === 'group' ? (
        <input
          className="input"
          aria-label={t.groupTitle}
          value={row.title}
          maxLength={64}
          onChange={(event) => put({ ...row, title: event.target.value || t.newGroup })}
        />
      ) : (
        row.kind === 'signal' &&
        lane.kind === 'signal' &&
        lane.width > 1 && (
          <select
            className="input"
            aria-label={t.format(name)}
            value={lane.format}
            onChange={(event) => {
              const format = WAVE_FORMATS.find((one) => one === event.target.value);
              if (format) put({ ...row, format });
            }}
          >
            {WAVE_FORMATS.map((one) => (
              <option key={one} value={one}>
                {t.formats[one]}
              </option>
            ))}
          </select>
        )
      )}
      {row.kind === 'signal' && lane.kind === 'signal' && lane.width > 1 && (
        <select
          className="input"
          aria-label={t.drawing(name)}
          value={row.curve ?? ''}
          onChange={(event) => {
            const { curve: _, ...digits } = row;
            const curve = CURVES.find((one) => one === event.target.value);
            put(curve ? { ...digits, curve } : digits);
          }}
        >
          <option value="">{t.drawings.digits}</option>
          {CURVES.map((one) => (
            <option key={one} value={one}>
              {t.drawings[one]}
            </option>
          ))}
        </select>
      )}
      {row.kind === 'signal' && lane.kind === 'signal' && lane.width > 1 && (
        <Button kind="quiet" onClick={() => setNaming(true)}>
          {t.nameValues}
        </Button>
      )}
      {row.kind === 'decoder' && lane.kind === 'decoder' && (
        <Button kind="quiet" icon="edit" onClick={() => setEditing(true)}>
          {text.decoders.edit}
        </Button>
      )}
      <IconButton
        icon="up"
        label={t.up}
        disabled={index === 0}
        onClick={() => onChange(movedRow(rows, index, -1))}
      />
      <IconButton
        icon="down"
        label={t.down}
        disabled={index === rows.length - 1}
        onClick={() => onChange(movedRow(rows, index, 1))}
      />
      {row.kind === 'signal' && (
        <Button
          kind="quiet"
          onClick={() => onChange(rows.toSpliced(index, 0, { kind: 'group', title: t.newGroup }))}
        >
          {t.addGroup}
        </Button>
      )}
      <Button kind="quiet" icon="trash" onClick={() => onChange(rows.toSpliced(index, 1))}>
        {t.remove}
      </Button>
      {editing && row.kind === 'decoder' && (
        <DecoderDialog
          row={row}
          title={text.decoders.editTitle(name)}
          names={names}
          onSave={put}
          onClose={() => setEditing(false)}
        />
      )}
      {naming && row.kind === 'signal' && lane.kind === 'signal' && (
        <NamesDialog
          lane={lane}
          typed={row.names ?? {}}
          onSave={(names) => put({ ...row, names: { ...names }, format: 'names' })}
          onClose={() => setNaming(false)}
        />
      )}
    </fieldset>
  );
}

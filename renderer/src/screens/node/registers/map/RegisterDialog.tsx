import { type FormEvent, useState } from 'react';
import { Button } from '../../../../components/Button.tsx';
import { Dialog } from '../../../../components/Dialog.tsx';
import { Field, SelectField, TextField } from '../../../../components/Field.tsx';
import { hexAddress, parseAddress } from '../../../../format/words.ts';
import { text } from '../../../../text/text.ts';
import { fieldsFromText, fieldsToText } from './field-text.ts';
import { ACCESSES, type Access, mapProblems, type Register, type RegisterMap } from './register-map.ts';
import './map.css';

const t = text.registers;

interface Props {
  /** The map of the register; undefined without one. */
  map: RegisterMap | undefined;
  /** Address of the register to edit; undefined for a new one. */
  address: number | undefined;
  onSave(register: Register): void;
  onRemove(): void;
  onClose(): void;
}

/** Edits name, access and bit fields of a register. Problems appear next to their field. */
export function RegisterDialog({ map, address, onSave, onRemove, onClose }: Props) {
  const old = map?.registers.find((one) => one.address === address);
  const [place, setPlace] = useState(address === undefined ? '' : hexAddress(address));
  const [name, setName] = useState(old?.name ?? '');
  const [access, setAccess] = useState<Access>(old?.access ?? 'rw');
  const [description, setDescription] = useState(old?.description ?? '');
  const [fields, setFields] = useState(fieldsToText(old?.fields ?? []));
  const [problems, setProblems] = useState<
    Partial<Record<'place' | 'name' | 'description' | 'fields', string>>
  >({});

  const save = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseAddress(place);
    const read = fieldsFromText(fields);
    if ('problem' in parsed) {
      const { address: noAddress, unaligned } = t.map.problems;
      setProblems({ place: parsed.problem === 'unaligned' ? unaligned(place) : noAddress(place) });
      return;
    }
    if ('line' in read) {
      setProblems({ fields: t.dialog.fieldLine(read.line) });
      return;
    }
    const { description: _description, ...kept } = old ?? {};
    const register: Register = {
      ...kept,
      name: name.trim(),
      address: parsed.address,
      access,
      ...(description.trim() && { description: description.trim() }),
      fields: read.fields,
    };
    const others = (map?.registers ?? []).filter((one) => one !== old);
    const found = mapProblems({ name: map?.name ?? 'map', registers: [...others, register] });
    const [first] = found;
    if (first) {
      const sentence = t.map.problems[first.problem](first.what);
      if (first.field !== undefined) setProblems({ fields: sentence });
      else if (first.problem === 'duplicate-address') setProblems({ place: sentence });
      else if (first.problem === 'description') setProblems({ description: sentence });
      else setProblems({ name: sentence });
      return;
    }
    onSave(register);
    onClose();
  };
  return (
    <Dialog
      size="medium"
      title={address === undefined ? t.dialog.add : t.dialog.edit(hexAddress(address))}
      onClose={onClose}
      actions={
        <>
          {old && (
            <Button
              kind="danger"
              onClick={() => {
                onRemove();
                onClose();
              }}
            >
              {t.dialog.remove}
            </Button>
          )}
          <span className="push" />
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button kind="primary" type="submit" form="register-form">
            {t.map.save}
          </Button>
        </>
      }
    >
      <form id="register-form" className="register-form" onSubmit={save}>
        <div className="register-form-row">
          <TextField
            label={t.name}
            value={name}
            problem={problems.name}
            data-first-focus=""
            className="mono"
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label={t.address}
            value={place}
            problem={problems.place}
            className="mono"
            onChange={(event) => setPlace(event.target.value)}
          />
          <SelectField
            label={t.dialog.access}
            value={access}
            onChange={(event) => setAccess(event.target.value as Access)}
            options={ACCESSES.map((value) => ({ value, label: t.dialog.accesses[value] }))}
          />
        </div>
        <TextField
          label={t.dialog.description}
          value={description}
          problem={problems.description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <Field label={t.dialog.fields} hint={t.dialog.fieldsHint} problem={problems.fields}>
          {({ id, describedBy, invalid }) => (
            <textarea
              id={id}
              className="input mono"
              rows={6}
              spellCheck={false}
              aria-describedby={describedBy}
              aria-invalid={invalid || undefined}
              value={fields}
              onChange={(event) => setFields(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

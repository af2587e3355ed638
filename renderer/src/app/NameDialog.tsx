import { type FormEvent, useState } from 'react';
import { Button } from '../components/Button.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { TextField } from '../components/Field.tsx';
import { text } from '../text/text.ts';

const t = text.access;

/** Asks for the name under which the bench records jobs and sessions. @param anonymous name of callers without one */
export default function NameDialog({ anonymous, onDone }: { anonymous: string; onDone(name: string): void }) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDone(name.trim());
  };
  return (
    <Dialog title={t.nameTitle} onClose={() => onDone('')}>
      <form className="stack" onSubmit={submit}>
        <p className="muted">{t.nameText}</p>
        <TextField
          label={text.shell.name}
          value={name}
          maxLength={64}
          data-first-focus=""
          onChange={(event) => setName(event.target.value)}
        />
        <div className="row-end">
          <Button onClick={() => onDone('')}>{t.goOnAs(anonymous)}</Button>
          <Button kind="primary" type="submit" disabled={name.trim() === ''}>
            {t.useName}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

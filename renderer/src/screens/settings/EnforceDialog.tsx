import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Switch, TextField } from '../../components/Field.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { mintOwnKey } from '../../state/sign-in/sign-in.ts';
import { text } from '../../text/text.ts';
import type { Changes } from './draft.ts';
import { useSettingsForm } from './settings-context.ts';

const t = text.access;

interface EnforceDialogProps {
  title: string;
  confirm: string;
  /** The settings to save: enforcement, and perhaps others. */
  change: Changes;
  /** What the other settings mean. */
  children?: ReactNode;
  onClose(): void;
}

/**
 * Asks before the service refuses callers without a key. In a browser the person first gets a key and signs in with it:
 * no failure can lock the person out.
 */
export function EnforceDialog({ title, confirm, change, children, onClose }: EnforceDialogProps) {
  const client = useBench();
  const { response, applyNow } = useSettingsForm();
  const signedIn = useBenchStore(
    ({ identity }) => identity,
    (identity) => identity.signedIn,
  );
  const [name, setName] = useState(client.preferences.getState().name);
  const [kept, setKept] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const enforced = response.settings.auth.enforcement;
  // The desktop window has the operator token instead.
  const needsKey = !enforced && !signedIn && !client.desktop;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    let takeBack = async () => {};
    try {
      if (needsKey) takeBack = await mintOwnKey(client, name.trim(), kept);
    } catch (reason) {
      setError(reason);
      setBusy(false);
      return;
    }
    if (!(await applyNow(change))) await takeBack();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        {children}
        {!enforced && <p>{client.desktop ? t.enforceDesktop : t.enforceText}</p>}
        {!enforced && signedIn && <p>{t.enforceSignedIn(signedIn.username)}</p>}
        {needsKey && (
          <>
            <TextField
              label={text.shell.name}
              hint={t.ownerHint}
              value={name}
              maxLength={64}
              onChange={(event) => setName(event.target.value)}
            />
            <Switch label={t.keep} hint={t.keepHint} checked={kept} onChange={setKept} />
          </>
        )}
        {!enforced && <p className="muted">{t.enforceAfter}</p>}
        {error !== undefined && <InlineError error={error} />}
        <div className="row-end">
          <Button data-first-focus="" onClick={onClose}>
            {text.keep}
          </Button>
          <Button
            kind="danger"
            type="submit"
            busy={busy}
            disabled={busy || (needsKey && name.trim() === '')}
            title={needsKey && name.trim() === '' ? t.needsName : undefined}
          >
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

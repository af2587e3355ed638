import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { SelectField, Switch, TextField } from '../../components/Field.tsx';
import { Form } from '../../components/Form.tsx';
import { QrCode } from '../../components/QrCode.tsx';
import { formatInstant } from '../../format/time.ts';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { isLoopback, reachableLink } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';

const t = text.access;

/** Lifetimes of a link, seconds. */
const LIFETIMES = { hour: 3600, day: 86_400, week: 604_800 } as const;
type Lifetime = keyof typeof LIFETIMES;

type Made =
  | { kind: 'key'; owner: string; key: string; until: string | null }
  | { kind: 'invite'; owner: string; url: string; until: string };

/** Shows a new key once, with a copy button. */
function Key({ made }: { made: Extract<Made, { kind: 'key' }> }) {
  return (
    <>
      <p>{t.keyReady(made.owner)}</p>
      <p className="settings-secret">
        <CopyText value={made.key} label={t.key} />
      </p>
      {made.until && <p className="muted">{t.until(formatInstant(Date.parse(made.until)))}</p>}
    </>
  );
}

/** Shows a new link once, with a copy button and a QR code. */
function Link({ made }: { made: Extract<Made, { kind: 'invite' }> }) {
  const lan = useBenchStore(
    ({ status }) => status,
    ({ status }) => status?.lan.enabled === true,
  );
  return (
    <>
      <p>{t.linkReady(made.owner)}</p>
      <p className="settings-secret">
        <CopyText value={made.url} label={t.link} />
      </p>
      <QrCode value={made.url} label={t.qr(made.owner)} />
      <p className="muted">{t.until(formatInstant(Date.parse(made.until)))}</p>
      {!lan && isLoopback(new URL(made.url).hostname) && <p className="notice">{t.linkLocal}</p>}
    </>
  );
}

/** Makes a key for a program, or an invitation for a colleague. */
export function HandOutDialog({
  what,
  onClose,
  onMade,
}: {
  what: Made['kind'];
  onClose(): void;
  onMade(): void;
}) {
  const client = useBench();
  const [owner, setOwner] = useState('');
  const [label, setLabel] = useState('');
  const [operator, setOperator] = useState(false);
  const [lifetime, setLifetime] = useState<Lifetime>('day');
  const [made, setMade] = useState<Made | undefined>();

  const handOut = async (): Promise<Made> => {
    const { service } = client;
    const wish = {
      owner: owner.trim(),
      ...(label.trim() === '' ? {} : { label: label.trim() }),
      ...(operator ? { operator } : {}),
    };
    if (what === 'key') {
      const { api_key, key } = await service.mintKey({ body: wish });
      return { kind: 'key', owner: key.username, key: api_key, until: key.expires_at };
    }
    const { url, invite } = await service.createInvite({
      body: { ...wish, expires_in_s: LIFETIMES[lifetime] },
    });
    return { kind: 'invite', owner: invite.username, url: reachableLink(url), until: invite.expires_at };
  };
  const make = async () => {
    setMade(await handOut());
    onMade();
  };

  const title = what === 'key' ? t.handTitle : t.inviteTitle;
  if (made)
    return (
      <Dialog
        title={title}
        onClose={onClose}
        size="medium"
        actions={
          <Button kind="primary" onClick={onClose}>
            {t.done}
          </Button>
        }
      >
        <div className="stack">{made.kind === 'key' ? <Key made={made} /> : <Link made={made} />}</div>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form run={make} action={what === 'key' ? t.makeKey : t.makeLink} disabled={owner.trim() === ''}>
        <p className="muted">{what === 'key' ? t.handText : t.inviteText}</p>
        <TextField
          label={t.owner}
          hint={t.ownerHint}
          value={owner}
          maxLength={128}
          data-first-focus=""
          onChange={(event) => setOwner(event.target.value)}
        />
        <TextField
          label={t.label}
          hint={t.labelHint}
          value={label}
          maxLength={64}
          onChange={(event) => setLabel(event.target.value)}
        />
        {what === 'invite' && (
          <SelectField
            label={t.lifetime}
            value={lifetime}
            options={(['hour', 'day', 'week'] as const).map((value) => ({
              value,
              label: t.lifetimes[value],
            }))}
            onChange={(event) => setLifetime(event.target.value as Lifetime)}
          />
        )}
        <Switch
          label={t.operatorRight}
          hint={t.operatorRightHint}
          checked={operator}
          onChange={setOperator}
        />
      </Form>
    </Dialog>
  );
}

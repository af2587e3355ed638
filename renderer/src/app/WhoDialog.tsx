import { type FormEvent, useState } from 'react';
import type { Client } from '../../../server/contract/client/client.ts';
import { Button } from '../components/Button.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { Switch, TextField } from '../components/Field.tsx';
import { Form } from '../components/Form.tsx';
import type { SignedIn } from '../state/bench/identity.ts';
import type { BenchClient } from '../state/client/bench-client.ts';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { useQuery } from '../state/client/query.ts';
import { mintOwnKey } from '../state/sign-in/sign-in.ts';
import { text } from '../text/text.ts';

const t = text.shell;

/** The recorded name, while the service does not check it. */
function NameForm({ onDone }: { onDone(): void }) {
  const client = useBench();
  const [name, setName] = useState(client.preferences.getState().name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    client.preferences.setState({ name: name.trim(), nameAsked: true });
    client.reconnect();
    onDone();
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p className="muted">
        {t.whoIntro} {t.whoOpen}
      </p>
      <TextField
        label={t.name}
        hint={t.nameHint(client.anonymousName)}
        value={name}
        maxLength={64}
        data-first-focus=""
        onChange={(event) => setName(event.target.value)}
      />
      <div className="row-end">
        <Button kind="primary" type="submit">
          {text.save}
        </Button>
      </div>
    </form>
  );
}

/** Exchanges an identity provider's token for a key of this service. */
async function exchangeToken(service: Client, token: string, kept: boolean): Promise<SignedIn> {
  const { api_key, provider_username } = await service.exchangeToken({ body: { provider_token: token } });
  return { apiKey: api_key, username: provider_username, minted: true, kept };
}

/** Finds the owner of a key. Rejects with the service's refusal if it does not know the key. */
async function checkKey(client: BenchClient, apiKey: string, kept: boolean): Promise<SignedIn> {
  const headers = client.headersOfKey(apiKey);
  const { username } = await client.service.getOwnKey({}, { headers });
  return { apiKey, username, minted: false, kept };
}

/** The operator makes a key for this window. */
function OperatorForm({ onDone }: { onDone(): void }) {
  const client = useBench();
  const [name, setName] = useState(client.preferences.getState().name);
  const [kept, setKept] = useState(true);
  const mint = async () => {
    await mintOwnKey(client, name.trim(), kept);
    onDone();
  };
  return (
    <Form run={mint} action={text.access.signInOperatorConfirm} disabled={name.trim() === ''}>
      <p>{text.access.signInOperator}</p>
      <TextField
        label={t.name}
        value={name}
        maxLength={64}
        data-first-focus=""
        onChange={(event) => setName(event.target.value)}
      />
      <Switch label={text.access.keep} hint={text.access.keepHint} checked={kept} onChange={setKept} />
    </Form>
  );
}

/** Signs in with an identity provider's token or with a key. */
function SignInForm({ onDone, provider }: { onDone(): void; provider: boolean }) {
  const client = useBench();
  const [token, setToken] = useState('');
  const [apiKey, setApiKey] = useState('');
  const [kept, setKept] = useState(false);
  const signIn = async () => {
    client.signIn(
      token.trim()
        ? await exchangeToken(client.service, token.trim(), kept)
        : await checkKey(client, apiKey.trim(), kept),
    );
    onDone();
  };
  return (
    <Form run={signIn} action={t.signIn} disabled={!(token.trim() || apiKey.trim())}>
      <p className="muted">{t.whoEnforced(client.at ? t.theBench(client.at.name) : t.theService)}</p>
      {provider ? (
        <TextField
          label={t.providerToken}
          hint={t.providerTokenHint}
          type="password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      ) : (
        <p>{t.noProvider}</p>
      )}
      <TextField
        label={t.apiKey}
        type="password"
        value={apiKey}
        onChange={(event) => setApiKey(event.target.value)}
      />
      <Switch label={text.access.keep} hint={text.access.keepHint} checked={kept} onChange={setKept} />
    </Form>
  );
}

/** The sign-in forms. A request that only the operator may make shows whether this caller is the operator. */
function Admission({ onDone, provider }: { onDone(): void; provider: boolean }) {
  const { data: keys } = useQuery(['may mint'], (service, signal) => service.listKeys({}, { signal }));
  return (
    <div className="stack">
      {keys && <OperatorForm onDone={onDone} />}
      <SignInForm onDone={onDone} provider={provider} />
    </div>
  );
}

export default function WhoDialog({ onClose }: { onClose(): void }) {
  const client = useBench();
  const signedIn = useBenchStore(
    ({ identity }) => identity,
    (identity) => identity.signedIn,
  );
  const status = useBenchStore(
    (bench) => bench.status,
    (state) => state.status,
  );
  const refused = useBenchStore(
    (bench) => bench.connection,
    ({ connection }) => connection.kind === 'waiting' && connection.refused,
  );
  const provider = status === undefined || (status.identity_provider ?? 'none') !== 'none';
  return (
    <Dialog title={t.who} onClose={onClose}>
      {status?.caller?.operator && <p className="muted who-operator">{t.operator}</p>}
      {signedIn && !refused ? (
        <div className="stack">
          <p>{t.signedInAs(signedIn.username)}</p>
          <div className="row-end">
            <Button onClick={() => void client.signOut()}>{t.signOut}</Button>
          </div>
        </div>
      ) : status?.enforcement || refused ? (
        <div className="stack">
          {signedIn && <p role="alert">{text.access.notAccepted(signedIn.username)}</p>}
          <Admission onDone={onClose} provider={provider} />
        </div>
      ) : (
        <NameForm onDone={onClose} />
      )}
    </Dialog>
  );
}

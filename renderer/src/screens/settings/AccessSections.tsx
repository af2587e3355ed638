// The network and access settings.
import { useState } from 'react';
import type { IdentityProvider } from '../../../../server/contract/bench/settings.ts';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { SelectField, Switch, TextField } from '../../components/Field.tsx';
import { useBenchStore } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { setting } from './draft.ts';
import { EnforceDialog } from './EnforceDialog.tsx';
import { hostsProblem, urlProblem } from './fields.ts';
import { hintOf, LinesSetting, useSetting } from './inputs.tsx';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;

const LAN = setting('network', 'lan');
const ENFORCEMENT = setting('auth', 'enforcement');
const HOSTS = setting('network', 'allowed_hosts');
const PROVIDER = setting('auth', 'identity_provider');

export function AddressNow() {
  const address = useBenchStore(
    (client) => client.status,
    ({ status }) => status?.address,
  );
  return (
    <dl className="facts">
      <div>
        <dt>{t.address}</dt>
        <dd className="mono">{address ?? ''}</dd>
      </div>
    </dl>
  );
}

/** The LAN switch. It asks first, and takes effect at once. */
export function LanSwitch() {
  const { response, applyNow } = useSettingsForm();
  const { settings } = response;
  const [asking, setAsking] = useState(false);
  const status = useBenchStore(
    (client) => client.status,
    (state) => state.status,
  );
  const { lan } = settings.network;
  return (
    <>
      <Switch
        label={LAN.field.label}
        checked={lan}
        hint={lan ? t.lanOn(status?.lan.addresses.join(', ') || '…') : t.lanOff}
        onChange={(on) => (on ? setAsking(true) : void applyNow({ 'network.lan': false }))}
      />
      {asking && (
        <EnforceDialog
          title={t.lanTitle}
          confirm={t.lanConfirm}
          change={{ 'network.lan': true }}
          onClose={() => setAsking(false)}
        >
          <p>{t.lanText1}</p>
          <p>{t.lanText2}</p>
        </EnforceDialog>
      )}
    </>
  );
}

/** Host names by which callers may reach the bench. */
export function HostsSetting() {
  const { value, problem, change } = useSetting(HOSTS);
  return (
    <LinesSetting
      label={HOSTS.field.label}
      hint={hintOf(HOSTS)}
      lines={value}
      problem={problem}
      onChange={(lines) => change(lines, hostsProblem(lines))}
    />
  );
}

/** The switch for API keys. It asks first in both directions. */
export function EnforcementSwitch() {
  const { response, applyNow } = useSettingsForm();
  const [asking, setAsking] = useState<'on' | 'off' | undefined>();
  const { enforcement } = response.settings.auth;
  const close = () => setAsking(undefined);
  return (
    <>
      <Switch
        label={ENFORCEMENT.field.label}
        hint={hintOf(ENFORCEMENT)}
        checked={enforcement}
        onChange={(on) => setAsking(on ? 'on' : 'off')}
      />
      {asking === 'on' && (
        <EnforceDialog
          title={text.access.enforceTitle}
          confirm={text.access.enforceConfirm}
          change={{ 'auth.enforcement': true }}
          onClose={close}
        />
      )}
      {asking === 'off' && (
        <ConfirmDialog
          title={t.enforcementTitle}
          confirm={t.enforcementConfirm}
          onClose={close}
          onConfirm={() => void applyNow({ 'auth.enforcement': false })}
        >
          <p>{t.enforcementText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const emptyProvider = (kind: IdentityProvider['kind']): IdentityProvider => {
  switch (kind) {
    case 'none':
      return { kind };
    case 'oidc':
      return { kind, issuer: '', username_claim: 'preferred_username', allowed_users: [] };
    case 'github':
      return { kind, user_url: 'https://api.github.com/user', allowed_users: [] };
  }
};

const providerProblem = (provider: IdentityProvider): string | undefined => {
  switch (provider.kind) {
    case 'none':
      return undefined;
    case 'oidc':
      return urlProblem(provider.issuer) ?? (provider.username_claim.trim() === '' ? t.required : undefined);
    case 'github':
      return urlProblem(provider.user_url);
  }
};

/** The identity provider that exchanges tokens for keys. */
export function ProviderSetting() {
  const { value: provider, problem, change: edit } = useSetting(PROVIDER);
  const change = (next: IdentityProvider) => edit(next, providerProblem(next));
  return (
    <>
      <SelectField
        label={PROVIDER.field.label}
        hint={hintOf(PROVIDER)}
        value={provider.kind}
        options={(['none', 'oidc', 'github'] as const).map((kind) => ({
          value: kind,
          label: t.providers[kind],
        }))}
        onChange={(event) => change(emptyProvider(event.target.value as IdentityProvider['kind']))}
      />
      {provider.kind === 'oidc' && (
        <>
          <TextField
            label={t.issuer}
            hint={t.issuerHint}
            problem={problem}
            type="url"
            className="mono"
            value={provider.issuer}
            onChange={(event) => change({ ...provider, issuer: event.target.value.trim() })}
          />
          <TextField
            label={t.claim}
            className="mono"
            value={provider.username_claim}
            onChange={(event) => change({ ...provider, username_claim: event.target.value.trim() })}
          />
        </>
      )}
      {provider.kind === 'github' && (
        <TextField
          label={t.userUrl}
          hint={t.userUrlHint}
          problem={problem}
          type="url"
          className="mono"
          value={provider.user_url}
          onChange={(event) => change({ ...provider, user_url: event.target.value.trim() })}
        />
      )}
      {provider.kind !== 'none' && (
        <LinesSetting
          label={t.allowed}
          hint={t.allowedHint}
          problem={undefined}
          lines={provider.allowed_users}
          onChange={(allowed_users) => change({ ...provider, allowed_users })}
        />
      )}
    </>
  );
}

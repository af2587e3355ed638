import { useState } from 'react';
import type { IdentityProvider } from '../../../../server/contract/settings.ts';
import { ConfirmDialog } from '../../components/Dialog.tsx';
import { SelectField, Switch, TextField } from '../../components/Field.tsx';
import { useBenchStore } from '../../state/context.tsx';
import { text } from '../../text/text.ts';
import { editedValue, setting, withChange } from './draft.ts';
import { EnforceDialog } from './EnforceDialog.tsx';
import { hostsProblem, LIFETIME, NODE_PORTS, PORT, urlProblem } from './fields.ts';
import { InvitesTable } from './InvitesTable.tsx';
import { LinesSetting, NumberSetting, Section } from './inputs.tsx';
import { KeysTable } from './KeysTable.tsx';
import { useSettingsForm } from './settings-context.ts';
import { TlsSetting } from './TlsSetting.tsx';

const t = text.settings;

const HOSTS = setting('network', 'allowed_hosts');
const PROVIDER = setting('auth', 'identity_provider');

/** The switch that opens the bench to the LAN. It says first what that means, and takes effect at once. */
function LanSwitch() {
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
        label={t.lan}
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

export function NetworkSection() {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const address = useBenchStore(
    (client) => client.status,
    ({ status }) => status?.address,
  );
  const hosts = editedValue(response.settings, changes, HOSTS);
  return (
    <Section title={t.sections.network}>
      <dl className="facts">
        <div>
          <dt>{t.address}</dt>
          <dd className="mono">{address ?? ''}</dd>
        </div>
      </dl>
      <NumberSetting field={PORT} />
      {NODE_PORTS.map((field) => (
        <NumberSetting key={field.setting.key} field={field} />
      ))}
      <LanSwitch />
      <TlsSetting />
      <LinesSetting
        label={t.hosts}
        hint={t.hostsHint}
        lines={hosts}
        problem={problems[HOSTS.key]}
        onChange={(lines) =>
          setChanges(withChange(response.settings, changes, HOSTS, lines), HOSTS.key, hostsProblem(lines))
        }
      />
    </Section>
  );
}

/** Both ways are asked about: who would be refused, and who would not be any more. */
function EnforcementSwitch() {
  const { response, applyNow } = useSettingsForm();
  const [asking, setAsking] = useState<'on' | 'off' | undefined>();
  const { enforcement } = response.settings.auth;
  const close = () => setAsking(undefined);
  return (
    <>
      <Switch
        label={t.enforcement}
        hint={t.enforcementHint}
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

export function AccessSection() {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const provider = editedValue(response.settings, changes, PROVIDER);
  const change = (next: IdentityProvider) =>
    setChanges(withChange(response.settings, changes, PROVIDER, next), PROVIDER.key, providerProblem(next));
  const problem = problems[PROVIDER.key];
  return (
    <Section title={t.sections.access}>
      <EnforcementSwitch />
      <SelectField
        label={t.provider}
        hint={t.providerHint}
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
      <NumberSetting field={LIFETIME} />
      <KeysTable />
      <InvitesTable />
    </Section>
  );
}

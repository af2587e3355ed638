import type { TlsSettings } from '../../../../server/contract/bench/settings.ts';
import { SETTING_FIELDS } from '../../../../server/contract/setting-fields.ts';
import { CopyText } from '../../components/CopyText.tsx';
import { SelectField, TextField } from '../../components/Field.tsx';
import { formatInstant } from '../../format/time.ts';
import { useBenchStore } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { setting } from './draft.ts';
import { hintOf, NumberSetting, useSetting } from './inputs.tsx';

const t = text.settings;

const TLS = setting('network', 'tls');
const TLS_PORT = setting('network', 'tls_port');
const KINDS = ['none', 'own', 'files'] as const;

/** Encryption on the LAN: plain HTTP, or HTTPS with the fingerprint to compare. */
export function TlsSetting() {
  const { value: tls, problem, change: edit } = useSetting(TLS);
  const certificate = useBenchStore(
    (client) => client.status,
    ({ status }) => status?.lan.tls ?? null,
  );
  const change = (value: TlsSettings) => {
    const missing = value.kind === 'files' && (value.certificate === '' || value.key === '');
    edit(value, missing ? t.required : undefined);
  };
  return (
    <>
      <SelectField
        label={TLS.field.label}
        hint={hintOf(TLS)}
        value={tls.kind}
        options={KINDS.map((id) => ({ value: id, label: t.tlsKinds[id] }))}
        onChange={({ target: { value } }) =>
          change(
            value === 'files'
              ? { kind: 'files', certificate: '', key: '' }
              : { kind: value === 'own' ? 'own' : 'none' },
          )
        }
      />
      {tls.kind === 'files' && (
        <>
          <TextField
            label={t.tlsCertificate}
            className="mono"
            hint={t.tlsFilesHint}
            problem={problem}
            value={tls.certificate}
            onChange={(event) => change({ ...tls, certificate: event.target.value.trim() })}
          />
          <TextField
            label={t.tlsKey}
            className="mono"
            value={tls.key}
            onChange={(event) => change({ ...tls, key: event.target.value.trim() })}
          />
        </>
      )}
      {tls.kind !== 'none' && <NumberSetting setting={TLS_PORT} field={SETTING_FIELDS.network.tls_port} />}
      {certificate && (
        <dl className="facts facts-column settings-wide">
          <div>
            <dt>{t.tlsFingerprint}</dt>
            <dd>
              <CopyText value={certificate.fingerprint} label={t.tlsFingerprint} />
            </dd>
          </div>
          <div>
            <dt>{t.tlsEnds}</dt>
            <dd>{formatInstant(Date.parse(certificate.expires_at))}</dd>
          </div>
          <div>
            <dt>{t.tlsNames}</dt>
            <dd className="mono">{certificate.names.join(', ')}</dd>
          </div>
        </dl>
      )}
    </>
  );
}

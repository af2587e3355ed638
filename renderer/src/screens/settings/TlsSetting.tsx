import type { TlsSettings } from '../../../../server/contract/settings.ts';
import { CopyText } from '../../components/CopyText.tsx';
import { SelectField, TextField } from '../../components/Field.tsx';
import { formatInstant } from '../../format/time.ts';
import { useBenchStore } from '../../state/context.tsx';
import { text } from '../../text/text.ts';
import { editedValue, setting, withChange } from './draft.ts';
import { TLS_PORT } from './fields.ts';
import { NumberSetting } from './inputs.tsx';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;

const TLS = setting('network', 'tls');
const KINDS = ['none', 'own', 'files'] as const;

/** What the LAN is served with: plain HTTP, or HTTPS and the fingerprint that callers compare. */
export function TlsSetting() {
  const { response, changes, problems, setChanges } = useSettingsForm();
  const certificate = useBenchStore(
    (client) => client.status,
    ({ status }) => status?.lan.tls ?? null,
  );
  const tls = editedValue(response.settings, changes, TLS);
  const change = (value: TlsSettings) => {
    const missing = value.kind === 'files' && (value.certificate === '' || value.key === '');
    setChanges(withChange(response.settings, changes, TLS, value), TLS.key, missing ? t.required : undefined);
  };
  return (
    <>
      <SelectField
        label={t.tls}
        hint={t.tlsHint}
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
            problem={problems[TLS.key]}
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
      {tls.kind !== 'none' && <NumberSetting field={TLS_PORT} />}
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

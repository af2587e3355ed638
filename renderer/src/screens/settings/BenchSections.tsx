import type { Settings } from '../../../../server/contract/settings.ts';
import { CopyText } from '../../components/CopyText.tsx';
import { SelectField, TextField } from '../../components/Field.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatBytes } from '../../format/size.ts';
import { useBench, useBenchStore } from '../../state/context.tsx';
import { text } from '../../text/text.ts';
import { editedValue, fieldKey, withChange } from './draft.ts';
import { LIMIT_FIELDS, SESSION_FIELDS, TOOLCHAIN_FIELDS } from './fields.ts';
import { NumberSetting, restartNote, Section } from './inputs.tsx';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;

export function SessionsSection() {
  return (
    <Section title={t.sections.sessions}>
      {SESSION_FIELDS.map((field) => (
        <NumberSetting key={field.name} field={field} />
      ))}
    </Section>
  );
}

export function LimitsSection() {
  return (
    <Section title={t.sections.limits}>
      {LIMIT_FIELDS.map((field) => (
        <NumberSetting key={field.name} field={field} />
      ))}
    </Section>
  );
}

function EnginesTable() {
  const engines = useBenchStore(
    (client) => client.status,
    ({ status }) => status?.engines,
  );
  if (!engines) return null;
  return (
    <div className="settings-wide">
      <h3>{t.found}</h3>
      <div className="scroll-x">
        <table className="figures figures-dense">
          <thead>
            <tr>
              <th scope="col">{t.engine}</th>
              <th scope="col">{t.tool}</th>
              <th scope="col">{t.version}</th>
              <th scope="col">{t.path}</th>
            </tr>
          </thead>
          <tbody>
            {engines.map(({ name, tool, version, path }) => (
              <tr key={`${name} ${tool}`}>
                <td>{name}</td>
                <td className="mono">{tool}</td>
                <td className="mono engine-version">
                  {version ?? <span className="muted">{t.missing}</span>}
                </td>
                <td className="engine-path">
                  {path ? (
                    <span className="mono">{path}</span>
                  ) : name === 'embedded' ? (
                    t.embeddedPath
                  ) : version ? (
                    t.hidden
                  ) : (
                    ''
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

export function ToolchainSection() {
  const client = useBench();
  const { response, changes, problems, setChanges } = useSettingsForm();
  const engine = editedValue<Settings['toolchain']['engine']>(
    response.settings,
    changes,
    'toolchain',
    'engine',
  );
  const folder = editedValue<string | null>(response.settings, changes, 'toolchain', 'tool_folder');
  const folderKey = fieldKey('toolchain', 'tool_folder');
  const change = (name: string, value: unknown) =>
    setChanges(
      withChange(response.settings, changes, 'toolchain', name, value),
      fieldKey('toolchain', name),
      undefined,
    );
  return (
    <Section title={t.sections.toolchain}>
      <SelectField
        label={t.engine}
        hint={t.engineHint + restartNote('toolchain.engine')}
        value={engine}
        options={(['auto', 'embedded', 'native'] as const).map((id) => ({ value: id, label: t.engines[id] }))}
        onChange={(event) => change('engine', event.target.value)}
      />
      <TextField
        label={t.folder}
        className="mono"
        hint={client.desktop ? `${t.folderHint}${restartNote(folderKey)}` : t.folderToken}
        problem={problems[folderKey]}
        disabled={!client.desktop}
        value={folder ?? ''}
        onChange={(event) => change('tool_folder', event.target.value.trim() || null)}
      />
      {TOOLCHAIN_FIELDS.map((field) => (
        <NumberSetting key={field.name} field={field} />
      ))}
      <EnginesTable />
    </Section>
  );
}

export function DataSection() {
  const status = useBenchStore(
    (client) => client.status,
    (state) => state.status,
  );
  const bytes = status?.data?.bytes;
  return (
    <Section title={t.sections.data}>
      <dl className="facts facts-column settings-wide">
        <div>
          <dt>{t.dataFolder}</dt>
          <dd>
            {status?.data?.folder ? (
              <CopyText value={status.data.folder} label={t.dataFolder} />
            ) : (
              <span className="muted">{t.hidden}</span>
            )}
          </dd>
        </div>
        <div>
          <dt>{t.dataSize}</dt>
          <dd className="mono">{typeof bytes === 'number' ? formatBytes(bytes) : t.measuring}</dd>
        </div>
        <div>
          <dt>{t.serviceVersion}</dt>
          <dd className="mono">{status?.version ?? ''}</dd>
        </div>
        {status?.started_at && (
          <div>
            <dt>{t.started}</dt>
            <dd>
              <Ago at={status.started_at} />
            </dd>
          </div>
        )}
      </dl>
    </Section>
  );
}

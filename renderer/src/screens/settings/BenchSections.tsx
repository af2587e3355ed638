import { CopyText } from '../../components/CopyText.tsx';
import { Switch, TextField } from '../../components/Field.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatBytes } from '../../format/size.ts';
import { useBench, useBenchStore } from '../../state/context.tsx';
import { text } from '../../text/text.ts';
import { editedValue, type Setting, setting, withChange } from './draft.ts';
import { AUDIT_FIELDS, LIMIT_FIELDS, SESSION_FIELDS, TOOLCHAIN_FIELDS } from './fields.ts';
import { NumberSetting, restartNote, Section } from './inputs.tsx';
import { withoutSecret, withSecret } from './queue-address.ts';
import { useSettingsForm } from './settings-context.ts';

const t = text.settings;
const FOLDER = setting('toolchain', 'tool_folder');
const UNCONFINED = setting('toolchain', 'vhdl_without_sandbox');
const QUEUE = setting('toolchain', 'queue');

export function SessionsSection() {
  return (
    <Section title={t.sections.sessions}>
      {SESSION_FIELDS.map((field) => (
        <NumberSetting key={field.setting.key} field={field} />
      ))}
    </Section>
  );
}

export function LimitsSection() {
  return (
    <Section title={t.sections.limits}>
      {[...LIMIT_FIELDS, ...AUDIT_FIELDS].map((field) => (
        <NumberSetting key={field.setting.key} field={field} />
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
  const folder = editedValue(response.settings, changes, FOLDER);
  const unconfined = editedValue(response.settings, changes, UNCONFINED);
  const queue = editedValue(response.settings, changes, QUEUE);
  const change = <T,>(one: Setting<T>, value: T) =>
    setChanges(withChange(response.settings, changes, one, value), one.key, undefined);
  return (
    <Section title={t.sections.toolchain}>
      <TextField
        label={t.folder}
        className="mono"
        hint={client.desktop ? `${t.folderHint}${restartNote(FOLDER.key)}` : t.folderToken}
        problem={problems[FOLDER.key]}
        disabled={!client.desktop}
        value={folder ?? ''}
        onChange={(event) => change(FOLDER, event.target.value.trim() || null)}
      />
      <Switch
        label={t.unconfined}
        hint={client.desktop ? t.unconfinedHint : `${t.unconfinedHint} ${t.unconfinedToken}`}
        // Off is the safe side: everybody who may change settings may switch it off.
        disabled={!client.desktop && !unconfined}
        checked={unconfined}
        onChange={(on) => change(UNCONFINED, on)}
      />
      <TextField
        label={t.queue}
        className="mono"
        hint={t.queueHint + restartNote(QUEUE.key)}
        problem={problems[QUEUE.key]}
        value={withoutSecret(queue)}
        onChange={(event) => change(QUEUE, withSecret(event.target.value.trim(), queue) || null)}
      />
      {TOOLCHAIN_FIELDS.map((field) => (
        <NumberSetting key={field.setting.key} field={field} />
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

// The toolchain and data settings.
import { CopyText } from '../../components/CopyText.tsx';
import { Switch, TextField } from '../../components/Field.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatBytes } from '../../format/size.ts';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { setting } from './draft.ts';
import { hintOf, Section, useSetting } from './inputs.tsx';
import { withoutSecret, withSecret } from './queue-address.ts';

const t = text.settings;
const FOLDER = setting('toolchain', 'tool_folder');
const UNCONFINED = setting('toolchain', 'vhdl_without_sandbox');
const QUEUE = setting('toolchain', 'queue');

export function FolderSetting() {
  const client = useBench();
  const { value, problem, change } = useSetting(FOLDER);
  return (
    <TextField
      label={FOLDER.field.label}
      className="mono"
      hint={client.desktop ? hintOf(FOLDER) : t.folderToken}
      problem={problem}
      disabled={!client.desktop}
      value={value ?? ''}
      onChange={(event) => change(event.target.value.trim() || null)}
    />
  );
}

export function UnconfinedSetting() {
  const client = useBench();
  const { value, change } = useSetting(UNCONFINED);
  return (
    <Switch
      label={UNCONFINED.field.label}
      hint={client.desktop ? hintOf(UNCONFINED) : hintOf(UNCONFINED, t.unconfinedToken)}
      // Off is the safe side: everybody who may change settings may switch it off.
      disabled={!client.desktop && !value}
      checked={value}
      onChange={change}
    />
  );
}

export function QueueSetting() {
  const { value, problem, change } = useSetting(QUEUE);
  return (
    <TextField
      label={QUEUE.field.label}
      className="mono"
      hint={hintOf(QUEUE)}
      problem={problem}
      value={withoutSecret(value)}
      onChange={(event) => change(withSecret(event.target.value.trim(), value) || null)}
    />
  );
}

export function EnginesTable() {
  const engines = useBenchStore(
    (client) => client.status,
    ({ status }) => status?.engines,
  );
  if (!engines) return null;
  return (
    <div className="settings-wide">
      <h3>{t.found}</h3>
      <div className="scroll-x">
        <table className="figures figures-dense figures-stacked">
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

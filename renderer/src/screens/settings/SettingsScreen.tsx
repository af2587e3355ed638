// The Settings screen.
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { SettingsResponse } from '../../../../server/contract/bench/bench.ts';
import { ServiceError } from '../../../../server/contract/client/failures.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorState, InlineError, Loading } from '../../components/Empty.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { askFirst } from '../../state/page/dialogs.ts';
import { isRefusedCaller } from '../../state/page/explain.ts';
import { holdRoute } from '../../state/page/router.ts';
import { showToast } from '../../state/page/toasts.ts';
import { text } from '../../text/text.ts';
import { AddressNow } from './AccessSections.tsx';
import { BackupSection } from './BackupSection.tsx';
import { DataSection, EnginesTable } from './BenchSections.tsx';
import { type Changes, problemsByField, toPatch, valuesBefore, withoutSaved } from './draft.ts';
import { GroupFields } from './GroupFields.tsx';
import { InvitesTable } from './InvitesTable.tsx';
import { Section } from './inputs.tsx';
import { KeysTable } from './KeysTable.tsx';
import { SectionIndex } from './SectionIndex.tsx';
import { SettingsContext } from './settings-context.ts';
import './settings.css';
import { DesktopSection, WindowSection } from './WindowSections.tsx';

const t = text.settings;

/** Asks before the person loses edits: by going to another screen, closing the tab or reloading. */
function useWarning(unsaved: boolean, lost: string): void {
  const client = useBench();
  useLayoutEffect(() => {
    if (!unsaved) return;
    const letGo = holdRoute((leave) =>
      askFirst(client.questions, { title: t.leaveTitle, text: lost, confirm: t.leave, run: leave }),
    );
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    // The desktop's window would stay open silently; it only hides, and keeps the page.
    if (!client.desktop) window.addEventListener('beforeunload', onUnload);
    return () => {
      letGo();
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [client, unsaved, lost]);
}

/** The sections of the bench, in their order. */
const BENCH_SECTIONS = [
  t.sections.network,
  t.sections.access,
  t.sections.sessions,
  t.sections.limits,
  t.sections.toolchain,
  text.benches.settings.title,
  t.sections.data,
  text.backup.title,
];

/** The sections with their index next to them, or above them in a narrow window. */
function Body({ titles, children }: { titles: readonly string[]; children: ReactNode }) {
  return (
    <div className="screen-body settings">
      <SectionIndex titles={titles} />
      <div className="settings-sections">{children}</div>
    </div>
  );
}

/** The settings of the bench, for its operator; `children` come above them. */
function BenchSettings({
  response,
  titles,
  onSaved,
  children,
}: {
  response: SettingsResponse;
  /** The sections above. */
  titles: readonly string[];
  onSaved(response: SettingsResponse): void;
  children: ReactNode;
}) {
  const client = useBench();
  const [changes, setChanges] = useState<Changes>({});
  const [problems, setProblems] = useState<Record<string, string>>({});
  const [refused, setRefused] = useState<Record<string, string>>({});
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const count = Object.keys(changes).length;
  const problemCount = Object.keys(problems).length;
  const unsaved = count > 0 || problemCount > 0;
  useWarning(unsaved, t.leaveText(Math.max(count, problemCount)));

  const apply = async (change: Changes): Promise<boolean> => {
    setBusy(true);
    setError(undefined);
    const before = valuesBefore(response.settings, changes, change);
    try {
      const saved = await client.service.changeSettings({ body: toPatch(change) });
      const restart = Object.keys(change).some((key) => saved.restart_required.includes(key));
      // The person may leave at once after the save, without a question.
      flushSync(() => {
        setChanges((now) => withoutSaved(now, change, before));
        setRefused({});
        onSaved(saved);
      });
      showToast(client.toasts, { tone: 'good', text: restart ? t.savedRestart : t.saved });
      void client.refreshStatus();
      return true;
    } catch (reason) {
      if (reason instanceof ServiceError) setRefused(problemsByField(reason.fields));
      setError(reason);
      return false;
    } finally {
      setBusy(false);
    }
  };

  return (
    <SettingsContext
      value={{
        response,
        changes,
        problems: { ...refused, ...problems },
        setChanges: (next, key, problem) => {
          setChanges(next);
          setRefused(({ [key]: _, ...others }) => others);
          setProblems(({ [key]: _, ...others }) =>
            problem === undefined ? others : { ...others, [key]: problem },
          );
        },
        applyNow: apply,
      }}
    >
      <Body titles={[...titles, ...BENCH_SECTIONS]}>
        {children}
        {response.notices.map((notice) => (
          <p key={notice} className="notice">
            <Icon name="warning" />
            {notice}
          </p>
        ))}
        {response.restart_required.length > 0 && (
          <p className="notice" role="status">
            <Icon name="info" />
            {t.restartPending(response.restart_required.join(', '))}
          </p>
        )}
        <Section title={t.sections.network}>
          <AddressNow />
          <GroupFields group="network" />
        </Section>
        <Section title={t.sections.access}>
          <GroupFields group="auth" />
          <KeysTable />
          <InvitesTable />
        </Section>
        <Section title={t.sections.sessions}>
          <GroupFields group="sessions" />
        </Section>
        <Section title={t.sections.limits}>
          <GroupFields group="limits" />
          <GroupFields group="audit" />
        </Section>
        <Section title={t.sections.toolchain}>
          <GroupFields group="toolchain" />
          <EnginesTable />
        </Section>
        <Section title={text.benches.settings.title}>
          <GroupFields group="benches" />
        </Section>
        <DataSection />
        <BackupSection />
      </Body>
      {unsaved && (
        <div className="settings-save" role="status">
          {error !== undefined && <InlineError error={error} />}
          <span>{problemCount > 0 ? t.problems(problemCount) : t.changes(count)}</span>
          <Button
            disabled={busy}
            onClick={() => {
              setChanges({});
              setProblems({});
              setRefused({});
              setError(undefined);
            }}
          >
            {t.discard}
          </Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={busy || problemCount > 0 || count === 0}
            onClick={() => void apply(changes)}
          >
            {busy ? t.saving : t.save}
          </Button>
        </div>
      )}
    </SettingsContext>
  );
}

export default function SettingsScreen() {
  const client = useBench();
  const {
    data: response,
    error,
    reload,
    put,
  } = useQuery(['settings'], async (service, signal) => {
    void client.refreshStatus();
    return await service.getSettings({}, { signal });
  });
  const titles = [t.sections.window, ...(client.desktop ? [t.sections.desktop] : [])];
  const own = (
    <>
      <WindowSection />
      {client.desktop && <DesktopSection />}
    </>
  );
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
      </header>
      {response && error === undefined ? (
        <BenchSettings response={response} titles={titles} onSaved={put}>
          {own}
        </BenchSettings>
      ) : (
        <Body titles={titles}>
          {own}
          {isRefusedCaller(error) ? (
            <p className="notice">
              <Icon name="info" />
              {t.operatorOnly}
            </p>
          ) : error !== undefined ? (
            <ErrorState error={error} onRetry={reload} />
          ) : (
            <Loading />
          )}
        </Body>
      )}
    </section>
  );
}

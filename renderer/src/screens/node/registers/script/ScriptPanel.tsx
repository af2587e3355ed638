import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { send } from '../../../../../../server/contract/client/request.ts';
import type { Script, ScriptReport, StepResult } from '../../../../../../server/contract/jobs/scripts.ts';
import type { NodeView } from '../../../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../../../components/Button.tsx';
import { saveFile } from '../../../../components/clipboard.ts';
import { EmptyState, Loading } from '../../../../components/Empty.tsx';
import { showRefusal } from '../../../../state/actions/actions.ts';
import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { useBench, usePreference } from '../../../../state/client/context.tsx';
import { useQuery } from '../../../../state/client/query.ts';
import { askFirst } from '../../../../state/page/dialogs.ts';
import { readStored, writeStored } from '../../../../state/page/preferences.ts';
import { showToast } from '../../../../state/page/toasts.ts';
import { text } from '../../../../text/text.ts';
import type { RegisterMap } from '../map/register-map.ts';
import { type ReadChoice, readChoices } from './read-choices.ts';
import { ScriptLines } from './ScriptLines.tsx';
import { linesOf, stepsOf } from './script-lines.ts';

/** A script in progress. */
interface ScriptDraft {
  lines: readonly string[];
  /** The last report, with the lines at that time. */
  report?: { report: ScriptReport; lines: readonly string[] };
  /** What its recorded reads may expect. */
  choices?: readonly ReadChoice[];
}

const KEY = 'wishbench.script-drafts';
const MOST = 20;

/** Design → its draft. Drafts outlive the view; the lines also outlive the page. */
const drafts = createStore<Readonly<Record<string, ScriptDraft>>>(() => ({}));

const stored = (client: BenchClient): Record<string, unknown> => {
  const value = readStored(client.memory, KEY);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

/** Restores the stored draft of a design. */
function restoreDraft(client: BenchClient, design: string): void {
  if (drafts.getState()[design]) return;
  const lines = stored(client)[design];
  if (Array.isArray(lines) && lines.every((line) => typeof line === 'string'))
    drafts.setState({ [design]: { lines } });
}

function putDraft(client: BenchClient, design: string, draft: ScriptDraft): void {
  drafts.setState({ [design]: draft });
  const { [design]: _, ...others } = stored(client);
  const entries = [...Object.entries(others), [design, draft.lines] as const].slice(-MOST);
  writeStored(client.memory, KEY, Object.fromEntries(entries));
}

import './script.css';

const t = text.registers.script;
const EXPORTS = ['curl', 'py', 'ts'] as const;
const EXTENSIONS = { curl: 'sh', py: 'py', ts: 'ts' } as const;
const NO_LINES: readonly string[] = [];
const NO_CHOICES: readonly ReadChoice[] = [];

interface Props {
  node: NodeView;
  design: string;
  ready: boolean;
  map: RegisterMap | undefined;
}

const textOf = (script: Script): string[] => linesOf(script).map(({ text: line }) => line);

/** The script view: record a session as steps with expectations, edit and run them, save them with the design. */
export default function ScriptPanel({ node, design, ready, map }: Props) {
  const client = useBench();
  const id = node.fpga_id;
  const designId = node.design?.design_id ?? undefined;
  const name = designId ?? design;
  const format = usePreference('numberFormat');
  const draft = useStore(drafts, (all) => all[name]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ line: number; says: string } | undefined>();
  useEffect(() => restoreDraft(client, name), [client, name]);
  const stored = useQuery(
    designId === undefined ? undefined : ['design script', designId],
    async (service, signal, [, of]) => ({
      script: await service.getDesignScript({ design_id: of }, { signal }),
    }),
  );
  const saved = useMemo(() => (stored.data?.script ? textOf(stored.data.script) : undefined), [stored.data]);
  const lines = draft?.lines ?? saved ?? NO_LINES;
  const isSaved = saved !== undefined && saved.join('\n') === lines.join('\n');
  const report = draft?.report;
  const choices = draft?.choices ?? NO_CHOICES;
  const results = useMemo(() => {
    const found = new Map<number, StepResult>();
    if (!report) return found;
    const steps = stepsOf(report.lines, map);
    if (!('steps' in steps)) return found;
    const byPath = new Map(report.report.steps.map((result) => [result.step.join(), result]));
    const used = report.lines.flatMap((line, index) => (line.trim() === '' ? [] : [index]));
    linesOf(steps).forEach(({ path, text: line }, nth) => {
      const at = used[nth];
      const result = line === 'end' ? undefined : byPath.get(path.join());
      if (at !== undefined && result && lines[at] === report.lines[at]) found.set(at, result);
    });
    return found;
  }, [report, lines, map]);

  const put = (next: readonly string[]) => {
    setProblem(undefined);
    putDraft(client, name, { lines: next, ...(report && { report }), choices });
  };
  /** The script of the lines; shows their problem otherwise. */
  const script = (): Script | undefined => {
    const read = stepsOf(lines, map);
    if ('steps' in read) return { steps: read.steps };
    setProblem({ line: read.line, says: t.problems[read.problem] });
    return undefined;
  };
  const during = async (act: () => Promise<void>) => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      showRefusal(client, error);
    }
    setBusy(false);
  };
  const take = () =>
    during(async () => {
      const answer = await client.service.getSessionScript({ fpga_id: id });
      const { script: recorded, skipped } = answer;
      setProblem(undefined);
      putDraft(client, name, { lines: textOf(recorded), choices: readChoices(answer) });
      showToast(client.toasts, { tone: 'good', text: t.recorded(recorded.steps.length, skipped) });
    });
  const record = () => {
    if (lines.length === 0 || isSaved) void take();
    else
      askFirst(client.questions, {
        title: t.replaceTitle,
        text: t.replaceText(lines.length),
        confirm: t.record,
        run: () => void take(),
      });
  };
  const run = () => {
    const steps = script();
    if (!steps) return;
    void during(async () => {
      const answer = await client.service.runScript({ fpga_id: id, body: { script: steps } });
      // Without a request for JUnit the service answers in JSON. The person may have typed during the run.
      const now = drafts.getState()[name] ?? { lines };
      putDraft(client, name, { ...now, report: { report: answer, lines } });
    });
  };
  const junit = () => {
    const steps = script();
    if (!steps) return;
    void during(async () => {
      const input = { fpga_id: id, format: 'junit', body: { script: steps } };
      const answer = await send(client.service.options, 'runScript', input, {});
      await saveFile(`${name}-junit.xml`, new Uint8Array(await answer.arrayBuffer()), 'application/xml');
    });
  };
  const save = () => {
    const steps = script();
    if (!steps || designId === undefined) return;
    void during(async () => {
      stored.put({ script: await client.service.putDesignScript({ design_id: designId, body: steps }) });
      showToast(client.toasts, { tone: 'good', text: t.kept });
    });
  };
  const exportAs = (kind: (typeof EXPORTS)[number]) =>
    during(async () => {
      if (designId === undefined) return;
      const program = await client.service.exportDesignScript({ design_id: designId, format: kind });
      await saveFile(`${name}.${EXTENSIONS[kind]}`, program, 'text/plain');
    });
  const outcome = report?.report;
  // A script begun before that would hide the stored one.
  const isLoading = designId !== undefined && stored.data === undefined && stored.error === undefined;
  if (isLoading && draft === undefined) return <Loading />;
  return (
    <section className="registers-side" aria-label={text.registers.viewNames.script}>
      <header className="registers-head">
        <Button icon="record" disabled={busy} title={t.recordHint} onClick={record}>
          {t.record}
        </Button>
        <Button icon="play" disabled={!ready || busy || lines.length === 0} onClick={run}>
          {t.run}
        </Button>
        <Button
          disabled={busy || isSaved || lines.length === 0 || designId === undefined}
          title={t.saveHint}
          onClick={save}
        >
          {t.save}
        </Button>
        <span className="push" />
        {EXPORTS.map((kind) => (
          <Button
            key={kind}
            kind="quiet"
            icon="download"
            disabled={busy || !isSaved}
            title={isSaved ? t.exports[kind] : t.saveFirst}
            aria-label={t.exports[kind]}
            onClick={() => void exportAs(kind)}
          >
            {t.exportNames[kind]}
          </Button>
        ))}
        <Button
          kind="quiet"
          icon="download"
          disabled={!ready || busy || lines.length === 0}
          title={t.junitHint}
          onClick={junit}
        >
          JUnit XML
        </Button>
      </header>
      {outcome && (
        <p className={`script-summary ${outcome.failed > 0 ? 'text-bad' : 'text-good'}`} role="status">
          {t.outcome(outcome.passed, outcome.failed, outcome.skipped, outcome.ms)} {outcome.stopped?.message}
        </p>
      )}
      {lines.length === 0 ? (
        <EmptyState
          icon="jobs"
          title={t.none}
          action={<Button onClick={() => put([''])}>{t.begin}</Button>}
          text={t.noneText}
        />
      ) : (
        <div className="script">
          <ScriptLines
            lines={lines}
            results={results}
            problem={problem}
            choices={choices}
            format={format}
            onChange={put}
          />
          <p className="field-hint">{t.grammar}</p>
        </div>
      )}
    </section>
  );
}

// The Design tab: the source of a draft or a build, and its side.
import { useCallback, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { Job, SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { EmptyState, Loading } from '../../components/Empty.tsx';
import { SourceEditor } from '../../components/editor/SourceEditor.tsx';
import { Split } from '../../components/Split.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { useBench } from '../../state/client/context.tsx';
import {
  type Draft,
  decodeSource,
  drafts,
  encodeSource,
  HDL_EXTENSIONS,
  setDraft,
} from '../../state/drafts/drafts.ts';
import { closeDraft } from '../../state/drafts/open-drafts.ts';
import { storeDrafts } from '../../state/drafts/store-drafts.ts';
import type { DesignFile } from '../../state/files/design-file.ts';
import { navigate } from '../../state/page/router.ts';
import { useSharedView } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';
import './design.css';
import { BuildSide } from './BuildSide.tsx';
import { DesignBar } from './DesignBar.tsx';
import { DraftSide } from './DraftSide.tsx';
import { DropZone } from './DropZone.tsx';
import { describePort } from './describe-port.ts';
import { FileTabs } from './FileTabs.tsx';
import { focusFile, OpenFiles } from './OpenFiles.tsx';
import type { Place } from './place.ts';
import { diagnosticsOf, useReport } from './use-build-details.ts';
import { useComparison } from './use-comparison.ts';
import { nextOptions, useFiles } from './use-files.ts';
import { useDeclarations, useScan } from './use-scan.ts';
import { useSubmission } from './use-submission.ts';
import { useVersions } from './use-versions.ts';
import { VersionPicker } from './VersionPicker.tsx';

const t = text.node;
const NONE: readonly Diagnostic[] = [];

const isSource = ({ name }: DesignFile): boolean =>
  HDL_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

/** The source of a draft or of a build, with its side. Typing into a build's source makes a draft. */
function DesignView({
  node,
  draft,
  job,
  returns,
  line,
  ofFile,
}: {
  node: NodeView;
  draft: Draft | undefined;
  /** The build to show without a draft. */
  job: Job | undefined;
  /** Whether the build is shown when its node has no draft. */
  returns: boolean;
  /** Line in the address, and its file; a design of one file names none. */
  line: number | undefined;
  /** The file of the line; absent for a design of one file. */
  ofFile: string | undefined;
}) {
  const client = useBench();
  const id = node.fpga_id;
  const { files, submitted, error } = useFiles(draft, job);
  const { data: report } = useReport(draft ? undefined : job);
  // A build that failed in the scan has no report: scan again for the reasons.
  const unmatched = !draft && job?.status === 'failed' && job.stage === 'scan';
  const scan = useScan(draft || unmatched ? files : undefined, draft?.options ?? job?.submit?.options ?? {});
  const found = useMemo(() => diagnosticsOf(job, report), [job, report]);
  const diagnostics = draft ? (scan.data?.diagnostics ?? NONE) : found;
  const unchanged = useMemo(
    (): Draft | undefined =>
      files && job?.submit && { name: job.submit.filename, files, options: nextOptions(job) },
    [files, job],
  );
  const submission = useSubmission(node, draft ?? unchanged);
  const { way } = submission;
  /** Ctrl+Enter. An unchanged source is built again, but waits for no other person's node. */
  const submit = () => {
    if (draft || way.kind === 'submit' || way.kind === 'replace') submission.submit();
  };
  useShortcuts([
    {
      keys: 'mod+Enter',
      label: t.submit,
      group: text.shell.shortcutGroups.node,
      run: () => document.querySelector('dialog[open]') ?? submit(),
      always: true,
    },
  ]);

  const [requested, setRequested] = useState<Place | undefined>();
  // An edited source keeps its place; others show the first error.
  const first = (draft?.edited ? NONE : diagnostics).find((one) => isError(one) && one.line !== undefined);
  const reason = useMemo((): Place | undefined => {
    if (line !== undefined) return { file: ofFile, line };
    return first?.line === undefined ? undefined : { file: first.file, line: first.line };
  }, [line, ofFile, first?.file, first?.line]);
  const goTo = requested ?? reason;
  const [chosen, setChosen] = useState<string | undefined>();
  const matched = scan.data?.matched ?? report?.design;
  const named = chosen ?? goTo?.file ?? matched?.file ?? diagnostics.find(isError)?.file;
  const file = files?.find(({ name }) => name === named) ?? files?.find(isSource) ?? files?.[0];
  const project = files !== undefined && files.length > 1;
  useSharedView(() => ({ file: project ? file?.name : undefined }));
  const source = useMemo(() => file && decodeSource(file.contents), [file]);
  const inFile = useMemo(
    () => (project ? diagnostics.filter((one) => one.file === file?.name) : diagnostics),
    [project, diagnostics, file?.name],
  );
  const show = useCallback((place: Place) => {
    setRequested(place);
    setChosen(place.file);
  }, []);

  const edit = (typed: string) => {
    if (!file || !files) return;
    // An edited source keeps its place, whatever a scan finds.
    setChosen(file.name);
    const changed = { name: file.name, contents: encodeSource(typed) };
    setDraft(id, {
      ...(draft ?? { name: job?.submit?.filename ?? file.name, options: nextOptions(job) }),
      files: files.map((one) => (one.name === file.name ? changed : one)),
      edited: true,
    });
    // The address may name the build that the draft came from.
    if (!draft) navigate({ kind: 'node', node: id, tab: 'design', job: undefined }, true);
  };
  /** A draft of the submitted design with changed options. */
  const again = (changed: SubmitOptions = {}) => {
    if (!files) return;
    setDraft(id, {
      name: job?.submit?.filename ?? '',
      files,
      options: { ...nextOptions(job), ...changed },
    });
    navigate({ kind: 'node', node: id, tab: 'design', job: undefined }, true);
  };
  const versions = useVersions(job);
  const comparison = useComparison(job);
  /** Another version in place of the source, to read. */
  const other = project ? undefined : comparison.shown;
  const describe = useCallback((name: string) => describePort(matched ?? undefined, name), [matched]);
  const declarations = useDeclarations(scan);
  const faulty = new Set(
    diagnostics.flatMap(({ severity, file: of }) => (severity === 'error' && of !== undefined ? [of] : [])),
  );
  const close = () => {
    if (draft) closeDraft(client, id, draft);
    focusFile();
  };
  const side = draft ? (
    <DraftSide node={node} draft={draft} scan={scan} submission={submission} onPlace={show} />
  ) : (
    job && (
      <BuildSide
        node={node}
        job={job}
        files={submitted}
        onAddressing={(addressing) => again({ addressing })}
        report={report}
        diagnostics={diagnostics}
        scan={scan}
        versions={versions}
        onPlace={show}
      />
    )
  );
  return (
    <div className="design">
      <Split
        id="design"
        label={t.drafts.border}
        sized="second"
        initial={372}
        min={280}
        max={720}
        second={side}
        first={
          <div className="design-source">
            <OpenFiles id={id} draft={draft} job={returns ? job : undefined} />
            <DesignBar
              node={node}
              draft={draft}
              files={files}
              file={file}
              onClose={close}
              onAgain={() => again()}
            >
              {!project && (!draft || draft.name === job?.submit?.filename) && (
                <VersionPicker
                  versions={versions}
                  own={draft ? undefined : job?.job_id}
                  choice={comparison.choice}
                  onChoose={comparison.choose}
                />
              )}
            </DesignBar>
            {project && file && (
              <FileTabs
                files={files}
                shown={file.name}
                faulty={faulty}
                onSelect={(name) => {
                  setRequested(undefined);
                  setChosen(name);
                }}
              />
            )}
            {file && source !== undefined ? (
              <SourceEditor
                text={other ?? source}
                filename={file.name}
                label={other === undefined ? t.sourceOf(file.name) : t.versionOf(file.name)}
                diagnostics={other === undefined ? inFile : NONE}
                goTo={
                  other === undefined && goTo && (goTo.file ?? file.name) === file.name ? goTo : undefined
                }
                original={project ? undefined : comparison.original}
                onChange={other === undefined ? edit : undefined}
                onSubmit={submit}
                describe={describe}
                declarations={declarations}
                onPlace={show}
              />
            ) : error !== undefined ? (
              <EmptyState icon="file" title={t.noSource} />
            ) : (
              <Loading />
            )}
          </div>
        }
      />
    </div>
  );
}

/** The Design tab: choose a design, edit it, submit it, watch its build, see the result. */
export function DesignTab({
  node,
  build,
  line,
  file,
  chosen,
}: {
  node: NodeView;
  build: Job | undefined;
  line: number | undefined;
  file: string | undefined;
  /** The address names this build: show it even if there is a draft. */
  chosen: boolean;
}) {
  const client = useBench();
  useState(() => storeDrafts(client));
  const draft = useStore(drafts, (state) => state[node.fpga_id]);
  const worth = build !== undefined && (chosen || node.state !== 'idle' || build.status !== 'complete');
  // The shown design stays after a release or reset of the node.
  const seen = useRef(worth);
  if (worth) seen.current = true;
  if (draft && !chosen)
    return (
      <DesignView
        node={node}
        draft={draft}
        job={build}
        returns={seen.current}
        line={undefined}
        ofFile={undefined}
      />
    );
  if (build && seen.current)
    return <DesignView node={node} draft={undefined} job={build} returns line={line} ofFile={file} />;
  return (
    <>
      <OpenFiles id={node.fpga_id} draft={undefined} job={undefined} />
      <DropZone node={node} />
    </>
  );
}

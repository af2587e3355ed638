// The open files of a node: the submitted design, and drafts.
import { useStore } from 'zustand';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { formatInstant, formatMinute } from '../../format/time.ts';
import { type Draft, drafts, otherDrafts } from '../../state/drafts/draft-store.ts';
import { showDraft } from '../../state/drafts/open-drafts.ts';
import { navigate } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';

const t = text.node.drafts;
const NONE: readonly Draft[] = [];

/** Focuses the shown file, or the way to choose one, after its view is drawn: the control that had the focus is gone. */
export const focusFile = (): void =>
  void requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('.open-files [aria-current="true"], [data-submit]')?.focus(),
  );

function OpenFile({
  name,
  note,
  title,
  shown,
  onShow,
}: {
  name: string;
  note: string;
  title?: string | undefined;
  shown: boolean;
  onShow(): void;
}) {
  return (
    <button type="button" className="file-tab" aria-current={shown} title={title} onClick={onShow}>
      <span className="mono">{name}</span> <span className="muted">{note}</span>
    </button>
  );
}

/** The open files of a node, a button each. The files of a project are in a row of their own. */
export function OpenFiles({
  id,
  draft,
  job,
}: {
  id: number;
  /** The shown draft. */
  draft: Draft | undefined;
  /** The build whose source is shown without a draft; absent if there is none. */
  job: Job | undefined;
}) {
  const current = useStore(drafts, (state) => state[id]);
  const others = useStore(otherDrafts, (state) => state[id] ?? NONE);
  const open = [...(current ? [current] : []), ...others].sort(({ name: a }, { name: b }) =>
    a < b ? -1 : a > b ? 1 : 0,
  );
  if (!job && open.length === 0) return null;
  const show = (one: Draft | undefined) => {
    showDraft(id, one);
    // The address may name a build.
    navigate({ kind: 'node', node: id, tab: 'design', job: undefined }, true);
  };
  return (
    <nav className="file-tabs open-files" aria-label={t.label}>
      {job?.submit && (
        <OpenFile name={job.submit.filename} note={t.built} shown={!draft} onShow={() => show(undefined)} />
      )}
      {open.map((one, at) => (
        <OpenFile
          // biome-ignore lint/suspicious/noArrayIndexKey: two drafts may have one name
          key={`${one.name} ${at}`}
          name={one.name}
          note={one.at === undefined ? '' : t.at(formatMinute(one.at, Date.now()))}
          title={one.at === undefined ? undefined : formatInstant(one.at)}
          shown={one === draft}
          onShow={() => show(one)}
        />
      ))}
    </nav>
  );
}

import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { ServiceError } from '../../../../server/contract/client/failures.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { keyLabels } from '../../components/shortcuts.ts';
import { type Draft, drafts, setDraft } from '../../state/drafts/drafts.ts';
import { text } from '../../text/text.ts';
import { MatchPanel } from './MatchPanel.tsx';
import { OptionsForm } from './OptionsForm.tsx';
import type { Place } from './place.ts';
import type { Scan } from './use-scan.ts';
import type { Submission } from './use-submission.ts';
import { WatchSwitch } from './WatchSwitch.tsx';

/** Focuses the view's primary action, unless the person has the focus elsewhere. */
function useFirstFocus(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) ref.current?.focus();
  }, [ref]);
}

const t = text.node;

/** The scan says that the build would fail, or refuses the source. */
const mustFail = ({ data, error, busy }: Scan): boolean =>
  !busy && (data ? data.matched === null : error instanceof ServiceError && error.status === 422);

/** The matcher result and the options. It does not render on every key while the person types. */
const Matching = memo(function Matching({
  id,
  options,
  scan,
  project,
  onPlace,
}: {
  id: number;
  options: SubmitOptions;
  scan: Scan;
  project: boolean;
  onPlace(place: Place): void;
}) {
  const change = (changed: SubmitOptions) => {
    // The current text may be newer than the rendered one.
    const draft = drafts.getState()[id];
    if (draft) setDraft(id, { ...draft, options: changed });
  };
  return (
    <>
      <MatchPanel
        scan={scan}
        project={project}
        onPlace={onPlace}
        options={options}
        onOptions={change}
        onAddressing={(addressing) => change({ ...options, addressing })}
      />
      <OptionsForm
        options={options}
        modules={scan.data?.modules.map(({ name }) => name) ?? []}
        onChange={change}
      />
    </>
  );
});

/** The side of a draft: the submit action, the matcher result and the options. */
export function DraftSide({
  node,
  draft,
  scan,
  submission,
  onPlace,
}: {
  node: NodeView;
  draft: Draft;
  scan: Scan;
  submission: Submission;
  onPlace(place: Place): void;
}) {
  const id = node.fpga_id;
  const { busy, error, submit, way } = submission;
  const open = way.kind !== 'never';
  const button = useRef<HTMLButtonElement>(null);
  useFirstFocus(button);
  // The key that works where the focus is.
  const [onButton, setOnButton] = useState(false);
  const vain = mustFail(scan);
  return (
    <div className="design-side">
      <div className="design-submit">
        <Button
          kind={vain || !open ? 'plain' : 'primary'}
          icon="upload"
          keys={onButton ? 'Enter' : keyLabels('mod+Enter').join(' ')}
          onFocusCapture={() => setOnButton(true)}
          onBlurCapture={() => setOnButton(false)}
          data-submit=""
          ref={button}
          busy={busy}
          disabled={busy || !open}
          onClick={submit}
        >
          {busy
            ? t.submitting
            : vain
              ? t.submitVain
              : way.kind === 'replace'
                ? t.replaceOn(node.design?.filename ?? text.nodeActions.noDesign, id)
                : way.kind === 'wait'
                  ? t.waitFor(id)
                  : t.submitTo(id)}
        </Button>
        {way.kind === 'never' && <p className="muted">{way.reason}</p>}
        {way.kind === 'wait' && (
          <p className="muted">
            {way.reason} {t.waitHint}
          </p>
        )}
        {way.kind === 'replace' && <p className="muted">{t.replaceHint}</p>}
        {error !== undefined && <InlineError error={error} />}
        {draft.path !== undefined && <WatchSwitch id={id} path={draft.path} options={draft.options} />}
      </div>
      <Matching
        id={id}
        options={draft.options}
        scan={scan}
        project={draft.files.length > 1}
        onPlace={onPlace}
      />
    </div>
  );
}

import { useState } from 'react';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { ConfirmDialog, Dialog } from '../../../../components/Dialog.tsx';
import { TextField } from '../../../../components/Field.tsx';
import { formatClock } from '../../../../format/time.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { text } from '../../../../text/text.ts';
import { type CaptureRef, type Captures, keyOf } from './use-captures.ts';

const t = text.captures;

interface Props {
  fpgaId: number;
  designId: string | null;
  captures: Captures;
  /** The person is a viewer. */
  locked: boolean;
}

/** Chooses the recording that is shown, and one to compare it with; keeps recordings with the design. */
export function CaptureBar({ fpgaId, designId, captures, locked }: Props) {
  const client = useBench();
  const { refs, saved, shown, compared, traces, comparison, setShown, setCompared, reload } = captures;
  const [naming, setNaming] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [name, setName] = useState('');
  const nameOf = ({ of, view }: CaptureRef): string => {
    if (of === 'design') return saved.find(({ capture }) => capture === view)?.name ?? '';
    const when = formatClock(Date.parse(view.ended_at ?? view.started_at)).slice(0, 8);
    return t.entry(when, view.samples.toLocaleString('en'), text.signals.triggers[view.trigger.kind]);
  };
  const groups = (without: string | undefined) =>
    (['node', 'design'] as const).map((of) => {
      const list = refs.filter((ref) => ref.of === of && keyOf(ref) !== without);
      if (list.length === 0) return null;
      return (
        <optgroup key={of} label={t.groups[of]}>
          {list.map((ref) => (
            <option key={keyOf(ref)} value={keyOf(ref)}>
              {nameOf(ref)}
            </option>
          ))}
        </optgroup>
      );
    });
  if (refs.length === 0) return null;
  const now = shown ?? refs.find(({ of }) => of === 'node') ?? refs[0];
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (refusal) {
      showRefusal(client, refusal);
    }
    reload();
  };
  const keep = () => {
    const view = now?.view;
    setNaming(false);
    if (!view || designId === null) return;
    const body = { name: name.trim(), fpga_id: fpgaId, capture_id: view.capture_id };
    void attempt(() => client.service.saveCapture({ design_id: designId, body }));
  };
  return (
    <div className="capture-bar">
      <span>
        <span aria-hidden="true">{t.shown}</span>
        <select
          className="input"
          aria-label={t.shown}
          value={shown ? keyOf(shown) : ''}
          onChange={(event) => setShown(event.target.value)}
        >
          <option value="">{t.newest}</option>
          {groups(undefined)}
        </select>
      </span>
      <span>
        <span aria-hidden="true">{t.compare}</span>
        <select
          className="input"
          aria-label={t.compare}
          value={compared ? keyOf(compared) : ''}
          onChange={(event) => setCompared(event.target.value)}
        >
          <option value="">{t.none}</option>
          {groups(now && keyOf(now))}
        </select>
      </span>
      {comparison && !comparison.isPossible && <span className="text-warn">{t.otherRate}</span>}
      {designId !== null && !locked && now?.of === 'node' && traces && (
        <Button
          kind="quiet"
          icon="store"
          onClick={() => {
            setName(t.defaultName(saved.length + 1));
            setNaming(true);
          }}
        >
          {t.keep}
        </Button>
      )}
      {designId !== null && !locked && now?.of === 'design' && (
        <IconButton icon="trash" label={t.remove(nameOf(now))} onClick={() => setRemoving(true)} />
      )}
      {naming && (
        <Dialog
          title={t.keepTitle}
          onClose={() => setNaming(false)}
          actions={
            <>
              <Button onClick={() => setNaming(false)}>{text.cancel}</Button>
              <Button kind="primary" disabled={name.trim() === ''} onClick={keep}>
                {text.save}
              </Button>
            </>
          }
        >
          <TextField
            label={t.name}
            data-first-focus=""
            maxLength={64}
            value={name}
            hint={t.keepHint}
            onChange={(event) => setName(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || name.trim() === '') return;
              // Else the key would press the button that gets the focus.
              event.preventDefault();
              keep();
            }}
          />
        </Dialog>
      )}
      {removing && now && designId !== null && (
        <ConfirmDialog
          title={t.removeTitle(nameOf(now))}
          confirm={t.removeConfirm}
          onClose={() => setRemoving(false)}
          onConfirm={() => {
            const { capture_id } = now.view;
            setShown('');
            void attempt(() => client.service.deleteDesignCapture({ design_id: designId, capture_id }));
          }}
        >
          <p>{t.removeText}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

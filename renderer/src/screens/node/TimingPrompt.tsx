import { useState } from 'react';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { submitDesign } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import type { DesignFile } from '../../state/files/design-file.ts';
import { text } from '../../text/text.ts';
import './timing-question.css';

const t = text.node.timing;

/** Asks whether to program a design that misses the clock of its real board. It was built, but not programmed. */
export function TimingPrompt({
  node,
  job,
  files,
  report,
}: {
  node: NodeView;
  job: Job;
  files: readonly DesignFile[] | undefined;
  report: BuildReport;
}) {
  const client = useBench();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { fmax_mhz: fmax, target_mhz: target, clock_mhz: clock = 0 } = report.timing;
  const { submit } = job;
  const free = node.state === 'idle' && node.board.present;
  if (!submit) return null;
  const program = async (built: readonly DesignFile[]) => {
    setBusy(true);
    setError(undefined);
    try {
      const options = { ...submit.options, allow_timing_failure: true };
      await submitDesign(client, node.fpga_id, built, options);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="timing-question" aria-label={t.title}>
      <h3>{t.title}</h3>
      <dl className="timing-figures">
        <div>
          <dt>{t.fmax}</dt>
          <dd className="num text-bad">{fmax?.toFixed(1)} MHz</dd>
        </div>
        <div>
          <dt>{t.needed}</dt>
          <dd className="num">{Math.max(target, clock).toFixed(1)} MHz</dd>
        </div>
      </dl>
      <p className="muted">{t.text}</p>
      {free && files !== undefined ? (
        <Button kind="danger" busy={busy} disabled={busy} onClick={() => void program(files)}>
          {t.confirm}
        </Button>
      ) : (
        <p className="muted">{t.notFree}</p>
      )}
      {error !== undefined && <InlineError error={error} />}
    </section>
  );
}

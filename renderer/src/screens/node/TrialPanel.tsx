import { useStore } from 'zustand';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { InlineError } from '../../components/Empty.tsx';
import { type ExampleRun, exampleRuns } from '../../state/drafts/example-run.ts';
import { text } from '../../text/text.ts';
import { ScriptSteps } from './ScriptSteps.tsx';

const t = text.node.script;

function Progress({ progress }: { progress: ExampleRun['progress'] }) {
  switch (progress.kind) {
    case 'building':
      return <p className="muted">{t.afterBuild}</p>;
    case 'running':
      return <p role="status">{t.running}</p>;
    case 'ended':
      return <ScriptSteps report={progress.report} />;
    case 'refused':
      return <InlineError error={progress.error} />;
  }
}

/** The example of this build, with the result of its script. */
export function TrialPanel({ job }: { job: Job }) {
  const trial = useStore(exampleRuns, (state) => state[job.fpga_id]);
  if (trial?.jobId !== job.job_id) return null;
  return (
    <section className="trial" aria-label={t.trial(trial.title)}>
      <h3>{t.trial(trial.title)}</h3>
      <Progress progress={trial.progress} />
    </section>
  );
}

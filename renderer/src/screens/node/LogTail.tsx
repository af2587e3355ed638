import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { useLog } from '../../state/client/use-log.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';

const t = text.node;
const LINES = 12;

/** The last lines of a running build's log. */
export function LogTail({ job }: { job: Job }) {
  const log = useLog(job.fpga_id, job.job_id);
  const lines = log?.document.lines ?? [];
  if (lines.length === 0) return null;
  const from = Math.max(0, lines.length - LINES);
  return (
    <section className="tail" aria-label={t.tail}>
      <h3>
        {t.tail}
        <a href={href({ kind: 'node', node: job.fpga_id, tab: 'log', job: job.job_id })}>{t.report.toLog}</a>
      </h3>
      {/* Too fast to be read aloud: the stages are announced instead. */}
      <pre className="tail-lines" aria-hidden="true">
        {lines
          .slice(from)
          .map((line) => line.text.slice(line.body))
          .join('\n')}
      </pre>
    </section>
  );
}

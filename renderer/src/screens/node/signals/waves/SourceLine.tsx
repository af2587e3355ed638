import type { Job } from '../../../../../../server/contract/jobs/jobs.ts';
import type { SignalInfo } from '../../../../../../server/contract/signals/signals.ts';
import { Icon } from '../../../../components/Icon.tsx';
import { decodeSource } from '../../../../state/drafts/drafts.ts';
import { href } from '../../../../state/page/routes.ts';
import { text } from '../../../../text/text.ts';
import { useDesignFiles } from '../../use-build-details.ts';

const t = text.signals;

/** The declaration of a signal, with a link to the source. */
export function SourceLine({ job, info }: { job: Job | undefined; info: SignalInfo }) {
  const { data } = useDesignFiles(job);
  const { file, line } = info;
  if (file === undefined || line === undefined || job === undefined)
    return <p className="waves-source muted">{t.noSource}</p>;
  const source = data?.find(({ name }) => name === file);
  const shown = source && decodeSource(source.contents).split('\n')[line - 1]?.trim();
  return (
    <p className="waves-source">
      <a href={href({ kind: 'node', node: job.fpga_id, tab: 'design', job: job.job_id, line, file })}>
        <Icon name="file" size={14} /> <span className="mono">{t.sourceOf(file, line)}</span>
      </a>
      <code className="truncate">{shown}</code>
    </p>
  );
}

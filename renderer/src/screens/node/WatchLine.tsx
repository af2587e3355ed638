// The watched file of a node.
import { Button } from '../../components/Button.tsx';
import { baseName, lookOf, useWatch, useWatchText, WatchBadge } from '../../components/WatchBadge.tsx';
import { useBench } from '../../state/client/context.tsx';
import type { Watch } from '../../state/files/watched-files.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';

const t = text.watching;

function Watching({ id, watch }: { id: number; watch: Watch }) {
  const client = useBench();
  const { outcome } = watch;
  return (
    <div className="node-note node-watch" role="status">
      <span className="row">
        <WatchBadge watch={watch} />
        <span className={lookOf(watch) === 'failed' ? 'text-bad' : ''}>{useWatchText(watch)}</span>
        {outcome.kind === 'submitted' && (
          <a href={href({ kind: 'node', node: id, tab: 'log', job: outcome.jobId })}>
            {text.node.report.toLog}
          </a>
        )}
      </span>
      <Button
        aria-label={t.stopOf(baseName(watch.path))}
        onClick={() => void client.watchedFiles.unwatch(id)}
      >
        {t.stop}
      </Button>
    </div>
  );
}

/** The watched file of a node, the result of its last save, and the stop button. */
export function WatchLine({ id }: { id: number }) {
  const watch = useWatch(id);
  return watch ? <Watching id={id} watch={watch} /> : null;
}

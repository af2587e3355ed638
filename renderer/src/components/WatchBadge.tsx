import { useStore } from 'zustand';
import type { Job } from '../../../server/contract/jobs.ts';
import { useBench, useJob } from '../state/context.tsx';
import type { Watch, WatchOutcome } from '../state/watched-files.ts';
import { text } from '../text/text.ts';
import { Badge, type Tone } from './Badge.tsx';
import type { IconName } from './Icon.tsx';

const t = text.node.watching;

/** The name of a file, of its path on any system. */
export const baseName = (path: string): string => path.replace(/^.*[\\/]/, '');

/** What is watched for a node, if anything is. */
export const useWatch = (id: number): Watch | undefined =>
  useStore(useBench().watchedFiles.store, ({ byNode }) => byNode[id]);

/** What became of the last save, in a sentence. */
function watchSentence({ path, outcome }: Watch, job: Job | undefined): string {
  const name = baseName(path);
  switch (outcome.kind) {
    case 'watching':
      return t.none(name);
    case 'submitted':
      return t.submitted(name, text.status[job?.status ?? 'queued']);
    case 'waiting':
    case 'failed':
      return outcome.message;
  }
}

/** The sentence of a watch, as its job goes on. */
export function useWatchSentence(watch: Watch): string {
  const job = useJob(watch.outcome.kind === 'submitted' ? watch.outcome.jobId : undefined);
  return watchSentence(watch, job);
}

const LOOKS: Record<WatchOutcome['kind'], { tone: Tone; icon: IconName }> = {
  watching: { tone: 'idle', icon: 'eye' },
  waiting: { tone: 'queued', icon: 'queued' },
  submitted: { tone: 'busy', icon: 'eye' },
  failed: { tone: 'error', icon: 'error' },
};

/** That a file is watched for a node, and how its last save fared. */
export function WatchBadge({ watch }: { watch: Watch }) {
  const { tone, icon } = LOOKS[watch.outcome.kind];
  return (
    <span className="watch-badge" title={useWatchSentence(watch)}>
      <Badge tone={tone} icon={icon}>
        {t.badge(baseName(watch.path))}
      </Badge>
      <span className="sr-only">, {t.outcomes[watch.outcome.kind]}</span>
    </span>
  );
}

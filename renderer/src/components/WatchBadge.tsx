import { useStore } from 'zustand';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import { outcomeOf } from '../format/job.ts';
import { useBench, useJob } from '../state/client/context.tsx';
import type { Watch, WatchOutcome } from '../state/files/watched-files.ts';
import { text } from '../text/text.ts';
import { Badge, type Tone } from './Badge.tsx';
import type { IconName } from './Icon.tsx';

const t = text.watching;

/** The file name of a path of any operating system. */
export const baseName = (path: string): string => path.replace(/^.*[\\/]/, '');

/** The watch of a node, if there is one. */
export const useWatch = (id: number): Watch | undefined =>
  useStore(useBench().watchedFiles.store, ({ byNode }) => byNode[id]);

/** The result of the last save, or why the application sees no saves, in a sentence. */
function watchSentence({ path, outcome, problem }: Watch, job: Job | undefined): string {
  if (problem !== null) return problem;
  const name = baseName(path);
  switch (outcome.kind) {
    case 'watching':
      return t.none(name);
    case 'submitted':
      return t.submitted(name, text.status[job ? outcomeOf(job) : 'queued']);
    case 'waiting':
    case 'failed':
      return outcome.message;
  }
}

/** The sentence of a watch, updated with its job. */
export function useWatchText(watch: Watch): string {
  const job = useJob(watch.outcome.kind === 'submitted' ? watch.outcome.jobId : undefined);
  return watchSentence(watch, job);
}

const LOOKS: Record<WatchOutcome['kind'], { tone: Tone; icon: IconName }> = {
  watching: { tone: 'idle', icon: 'eye' },
  waiting: { tone: 'queued', icon: 'queued' },
  submitted: { tone: 'busy', icon: 'eye' },
  failed: { tone: 'error', icon: 'error' },
};

/** The look of a watch. A watch that sees no saves has failed, whatever its last save came to. */
export const lookOf = ({ outcome, problem }: Watch): WatchOutcome['kind'] =>
  problem === null ? outcome.kind : 'failed';

/** The watched file of a node, with the result of its last save. */
export function WatchBadge({ watch }: { watch: Watch }) {
  const look = lookOf(watch);
  const { tone, icon } = LOOKS[look];
  return (
    <span className="watch-badge" title={`${baseName(watch.path)}: ${useWatchText(watch)}`}>
      <Badge tone={tone} icon={icon}>
        {t.badge(baseName(watch.path))}
      </Badge>
      <span className="sr-only">, {t.outcomes[look]}</span>
    </span>
  );
}

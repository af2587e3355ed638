import { useRef } from 'react';
import type { Job, SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { Draft } from '../../state/drafts/draft-store.ts';
import { useDesignFiles } from './use-build-details.ts';

/** The options of a build for the next one, without its consent to miss the timing target. */
export function nextOptions(job: Job | undefined): SubmitOptions {
  const { allow_timing_failure: _said, ...options } = job?.submit?.options ?? {};
  return options;
}

/**
 * The files of a view: of the draft, else of the build. The previous files stay until those of the build arrive, and
 * the source does not disappear or move.
 */
export function useFiles(draft: Draft | undefined, job: Job | undefined) {
  const { data: submitted, error } = useDesignFiles(draft ? undefined : job);
  const name = draft ? draft.name : job?.submit?.filename;
  const known = draft?.files ?? submitted;
  const last = useRef({ name, files: known });
  if (known) last.current = { name, files: known };
  const files = known ?? (error === undefined && last.current.name === name ? last.current.files : undefined);
  return { files, submitted, error };
}

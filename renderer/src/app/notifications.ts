import { useEffect } from 'react';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import type { BenchClient } from '../state/client/bench-client.ts';
import { hasEnded } from '../state/jobs/jobs.ts';
import { navigate } from '../state/page/router.ts';
import { announce } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';

/** The screen reader's text for a job: its end, and the stages of a build. */
function announcementOf(job: Job, before: Job | undefined): string | undefined {
  const what = text.bench.node(job.fpga_id);
  if (job.type === 'run') return undefined; // the register view announces its own results
  if (hasEnded(job) && (before === undefined || !hasEnded(before)))
    return `${what}: ${text.job[job.type]} ${text.status[job.status]}. ${job.failure?.message ?? job.summary ?? ''}`;
  if (job.status === 'running' && job.stage && job.stage !== before?.stage)
    return `${what}: ${text.stage[job.stage]}`;
  return undefined;
}

/**
 * Announces this window's jobs to screen readers, and notifies of builds that ended while the window was not in front.
 */
export function useNotifications(client: BenchClient): void {
  useEffect(
    () =>
      client.onJob((job, before) => {
        if (!client.mine.has(job.job_id)) return;
        const announcement = announcementOf(job, before);
        if (announcement) announce(client.toasts, announcement);
        const ended = hasEnded(job) && before !== undefined && !hasEnded(before);
        // The desktop application notifies by itself; see main/.
        if (
          !ended ||
          job.type !== 'build_and_program' ||
          client.desktop ||
          !client.preferences.getState().notifications
        )
          return;
        if (document.visibilityState === 'visible' && document.hasFocus()) return;
        if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
        const notice = new Notification(text.shell.notifyTitle(job.fpga_id, text.status[job.status]), {
          body: job.failure?.message ?? job.summary ?? job.submit?.filename ?? '',
          tag: job.job_id,
        });
        notice.onclick = () => {
          window.focus();
          navigate({ kind: 'job', job: job.job_id });
        };
      }),
    [client],
  );
}

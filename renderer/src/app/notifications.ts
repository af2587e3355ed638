import type { Job } from '../../../server/contract/jobs/jobs.ts';
import { outcomeOf } from '../format/job.ts';
import type { BenchClient } from '../state/client/bench-client.ts';
import { hasEnded } from '../state/jobs/jobs.ts';
import type { Notice } from '../state/page/notices.ts';
import { navigate } from '../state/page/router.ts';
import { announce } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';

/** The screen reader's text for a job: its end, and the stages of a build. */
function announcementOf(job: Job, before: Job | undefined): string | undefined {
  const what = text.bench.node(job.fpga_id);
  if (job.type === 'run') return undefined; // the register view announces its own results
  if (hasEnded(job) && (before === undefined || !hasEnded(before)))
    return `${what}: ${text.job[job.type]} ${text.status[outcomeOf(job)]}. ${job.failure?.message ?? job.summary ?? ''}`;
  if (job.status === 'running' && job.stage && job.stage !== before?.stage)
    return `${what}: ${text.stage[job.stage]}`;
  return undefined;
}

/** Whether the person does not see this window, and allows notifications. */
function mayNotify(client: BenchClient): boolean {
  // The desktop application has a setting of its own, and grants the permission by it.
  if (!client.desktop && !client.preferences.getState().notifications) return false;
  if (document.visibilityState === 'visible' && document.hasFocus()) return false;
  return typeof Notification !== 'undefined' && Notification.permission === 'granted';
}

/**
 * Shows a notice on the desktop: the end of an own build, a control request, a raised hand, the near end of a
 * session.
 */
function showOnDesktop(client: BenchClient, { key, text: title, remedy, about }: Notice): void {
  if (about === undefined || about.kind === 'node') return;
  // The desktop application notifies of builds by itself; see main/.
  if (about.kind === 'job' && client.desktop) return;
  if (!mayNotify(client)) return;
  const shown = new Notification(title, { body: remedy ?? '', tag: key });
  shown.onclick = () => {
    window.focus();
    if (about.kind === 'job') navigate({ kind: 'job', job: about.job });
    else if (about.kind === 'course') navigate({ kind: 'courses', course: about.course, tab: 'wall' });
    else navigate({ kind: 'node', node: about.node, tab: undefined, job: undefined });
  };
}

/**
 * Announces this window's jobs to screen readers, and shows notices on the desktop while the window is not in front.
 * Returns a function that ends it.
 */
export function followNotifications(client: BenchClient): () => void {
  const ends = [
    client.onJob((job, before) => {
      if (!client.mine.has(job.job_id)) return;
      const announcement = announcementOf(job, before);
      if (announcement) announce(client.toasts, announcement);
    }),
    client.notices.subscribe(({ notices }, { notices: before }) => {
      // A list that is brought back has no new notice.
      const latest = before[0]?.at ?? 0;
      for (const notice of notices)
        if (notice.at >= latest && !before.includes(notice)) showOnDesktop(client, notice);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

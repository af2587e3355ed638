import { Notification } from 'electron';
import type { Job } from '../server/contract/jobs/jobs.ts';
import { sentences } from '../server/contract/sentences.ts';

/** Title and text of the notification for an ended job; null for types that end too often. */
export function describeEnd(job: Job): { title: string; body: string } | null {
  if (job.status === 'cancelled') return null;
  const node = `Node ${job.fpga_id}`;
  const reason = job.failure ? sentences(job.failure.message, job.failure.remedy) : 'See its log.';
  switch (job.type) {
    case 'build_and_program': {
      const file = job.submit?.filename ?? 'The design';
      return job.status === 'complete'
        ? { title: `${node}: ${file} is running`, body: job.summary ?? 'The node is reserved.' }
        : { title: `${node}: ${file} failed`, body: reason };
    }
    case 'run':
    case 'reset':
      return job.status === 'failed' ? { title: `${node}: ${job.type} failed`, body: reason } : null;
  }
}

/** Shows the notification of an ended job; a click on it calls `open`. */
export function notifyEnd(job: Job, icon: string, open: () => void): void {
  const text = describeEnd(job);
  if (!text || !Notification.isSupported()) return;
  const notification = new Notification({ ...text, icon });
  notification.on('click', open);
  notification.show();
}

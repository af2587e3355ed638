import { Notification } from 'electron';
import type { Job } from '../server/contract/jobs/jobs.ts';
import { sentences } from '../server/contract/sentences.ts';

/** The appId of electron-builder.yml: Windows shows notifications of a program whose id has a shortcut. */
export const APP_ID = 'org.wishbench.desktop';

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

/** Notifications on the screen: Electron alone keeps none, and the click on a collected one is lost. */
const shown = new Set<Notification>();

/** Shows the notification of an ended job; a click on it calls `open`. */
export function notifyEnd(job: Job, icon: string, open: () => void): void {
  const text = describeEnd(job);
  if (!text || !Notification.isSupported()) return;
  const notification = new Notification({ ...text, icon });
  shown.add(notification);
  notification.on('click', open);
  notification.on('close', () => shown.delete(notification));
  notification.show();
}

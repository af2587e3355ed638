import { type BrowserWindow, dialog, type MessageBoxOptions } from 'electron';
import type { Activity } from './activity.ts';

/** A question about what quitting would interrupt, with the safe answer on Enter and Escape; null when nothing. */
export function quitQuestion(activity: Activity): MessageBoxOptions | null {
  const { jobs } = activity;
  const sessions = activity.nodes.filter((node) => node.session !== null);
  if (jobs.length === 0) return null; // sessions survive: the next start programs them again
  const running = jobs.filter((job) => job.status === 'running').length;
  const waiting = jobs.length - running;
  const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
  const lost = [
    ...(running > 0 ? [`${count(running, 'running job', 'running jobs')} will be marked as failed.`] : []),
    ...(waiting > 0 ? [`${count(waiting, 'queued job', 'queued jobs')} will run after the next start.`] : []),
    ...(sessions.length > 0
      ? [
          `${count(sessions.length, 'session is', 'sessions are')} kept and programmed again at the next start.`,
        ]
      : []),
  ];
  return {
    type: 'warning',
    title: 'Quit Wishbench',
    message: 'Jobs are still on the bench. Quit anyway?',
    detail: lost.join('\n'),
    buttons: ['Keep running', 'Quit'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  };
}

/** Asks when something would be lost; true when the application may quit. */
export async function mayQuit(window: BrowserWindow | null, activity: Activity): Promise<boolean> {
  const question = quitQuestion(activity);
  if (!question) return true;
  const { response } = window
    ? await dialog.showMessageBox(window, question)
    : await dialog.showMessageBox(question);
  return response === 1;
}

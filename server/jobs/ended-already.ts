import type { Job } from '../contract/jobs.ts';

/** What is said of a job that has ended to who wants to end it. */
export const endedAlready = ({ status }: Pick<Job, 'status'>, remedy: string) => ({
  message: `The job has ended already: it is ${status}.`,
  remedy,
});

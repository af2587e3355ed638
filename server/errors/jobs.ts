import { defineErrors } from './bench-error.ts';

/** Codes of interface.md section 7, and what jobs add to them. */
export const jobsError = defineErrors({
  fpga_not_idle: {
    status: 409,
    message: 'This node is not idle.',
    remedy: 'Pick an idle node, or release or reset this one first.',
  },
  fpga_not_reserved: {
    status: 409,
    message: 'This node is not reserved.',
    remedy: 'Submit a design to it first and wait until its job is complete.',
  },
  fpga_not_resettable: {
    status: 409,
    message: 'This node can be reset only while it is reserved or in error.',
    remedy: 'Wait for its build to end, or cancel the queued job.',
  },
  job_not_found: {
    status: 404,
    message: 'This node has no job with that id.',
    remedy: 'Check the job id and the node; only the newest jobs of each node are kept.',
  },
  job_not_complete: {
    status: 409,
    message: 'The job has not finished.',
    remedy: 'Poll the job, or add ?wait=60 to its URL, until its status is complete, failed or cancelled.',
  },
  job_not_cancellable: {
    status: 409,
    message: 'The job has already started.',
    remedy: 'Wait until it ends; only queued jobs can be cancelled.',
  },
  no_active_session: {
    status: 404,
    message: 'This node has no active session.',
    remedy: 'Submit a design to it first; a session begins when its job is complete.',
  },
});

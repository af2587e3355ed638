import { defineErrors } from './bench-error.ts';

/** Refusals of nodes and jobs, and reasons for failed jobs and nodes in error. */
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
    remedy: 'Wait until it ends, or stop it if it is a build; only queued jobs can be cancelled.',
  },
  job_not_stoppable: {
    status: 409,
    message: 'Only a build that runs can be stopped.',
    remedy: 'Wait until the job ends; a queued one can be cancelled.',
  },
  stopped_by_user: {
    status: 409,
    message: 'This build was stopped.',
    remedy: 'Submit the design again; the unfinished build was discarded.',
  },
  no_active_session: {
    status: 404,
    message: 'This node has no active session.',
    remedy: 'Submit a design to it first; a session begins when its job is complete.',
  },
  queue_full: {
    status: 429,
    message: 'Too many jobs wait for this node.',
    remedy: 'Wait until some of them have ended, then send more.',
  },
  too_many_jobs: {
    status: 429,
    message: 'Too many jobs of this owner wait, on all nodes together.',
    remedy: 'Wait until some of them have ended, then send more.',
  },
  service_stopping: {
    status: 503,
    message: 'The service is stopping and takes no more jobs.',
    remedy: 'Try again when it has been started again.',
  },
  session_ended: {
    status: 409,
    message: 'The session of this node has ended.',
    remedy: 'Submit a design to a node again; a stream lives as long as its session.',
  },
  session_handed_over: {
    status: 403,
    message: 'The session of this node was handed over to another holder.',
    remedy: 'Ask the new holder for control, or submit the design to another node.',
  },
  already_holder: {
    status: 409,
    message: 'This owner holds the node already.',
    remedy: 'You need no control request. To hand the session over, name another user.',
  },
  no_control_request: {
    status: 404,
    message: 'This owner has no control request for this node.',
    remedy: 'It was answered or withdrawn. The details of the node list the open requests.',
  },
  too_many_control_requests: {
    status: 429,
    message: 'This node has too many control requests already.',
    remedy: 'Wait until some are answered or withdrawn, or use another node.',
  },
  no_build_report: {
    status: 404,
    message: 'This job has no build report.',
    remedy: 'Only a build job that got through place and route has one; read its log for how far it came.',
  },
  no_bitstream: {
    status: 404,
    message: 'This job has no bitstream.',
    remedy: 'Only a build job whose build succeeded has one; read its log for how far it came.',
  },
  no_source: {
    status: 404,
    message: 'This job has no source file.',
    remedy: 'Only build jobs have one.',
  },

  design_file_not_found: {
    status: 404,
    message: 'The design of this job has no file at that path.',
    remedy: 'Ask for the list of its files; a slash within a path is sent as %2F.',
  },

  // Failures of jobs and nodes: callers see these inside a job or node, not as an answer.
  service_stopped: {
    status: 503,
    message: 'The service stopped while this job was running.',
    remedy: 'Send the job again; how much of it reached the design is unknown.',
  },
  run_skipped: {
    status: 409,
    message: 'The node was no longer reserved when this job was due.',
    remedy: 'Look at the job before it, reset the node if it is in error, and submit the design again.',
  },
  replaced_by_newer: {
    status: 409,
    message: 'A newer design was submitted to replace the same session.',
    remedy: 'Follow the newer job, or submit this design again if you want it instead.',
  },
  timing_not_met: {
    status: 422,
    message: 'The design is too slow for the clock of the board.',
    remedy:
      'Shorten the critical path, which the build report shows, or submit with allow_timing_failure to program it anyway: it may give wrong values.',
  },
  identity_mismatch: {
    status: 502,
    message: 'The board does not show the design that was programmed.',
    remedy: 'Reset the node; if it happens again, check that the board in its slot is the right one.',
  },
  program_deadline: {
    status: 504,
    message: 'Programming the board took too long.',
    remedy: 'Check the board and its cable, unplug it and plug it in again, then reset the node.',
  },
  link_deadline: {
    status: 504,
    message: 'The board took too long to answer.',
    remedy: 'Check the board and its cable, unplug it and plug it in again, then reset the node.',
  },
  job_data_missing: {
    status: 500,
    message: 'A file that this job needs is missing from the data directory.',
    remedy:
      'Send the job again; if it happens again, check which program changes files in the data directory.',
  },
  job_crashed: {
    status: 500,
    message: 'The job ended because of a fault in the service.',
    remedy: 'Send the job again; if it happens again, report it with the service’s log.',
  },
});

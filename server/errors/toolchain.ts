import { defineErrors } from './bench-error.ts';

/** Errors of builds: sources, projects, tools, the slave, limits and the farm. */
export const toolchainError = defineErrors({
  design_empty: {
    status: 422,
    message: 'The source file is empty.',
    remedy: 'Submit a Verilog, SystemVerilog, VHDL or Amaranth source file that defines a module.',
  },
  design_binary: {
    status: 422,
    message: 'The source file is binary, not text.',
    remedy: 'Submit the HDL source itself, as text; archives and bitstreams are not accepted.',
  },
  design_too_large: {
    status: 413,
    message: 'The source file is larger than the bench accepts.',
    remedy: 'Remove what the design does not need, such as large tables, or raise the upload limit.',
  },
  project_archive: {
    status: 422,
    message: 'The archive of the project cannot be read.',
    remedy: 'Send a plain .zip: not encrypted, not split, made by any common program.',
  },
  project_path: {
    status: 422,
    message: 'A file of the project has an invalid name.',
    remedy:
      'Use relative paths with / between folders, each once; characters other than letters, digits and . _ + - become _.',
  },
  project_too_large: {
    status: 413,
    message: 'The project is larger than the bench accepts.',
    remedy: 'Send only what the design needs, or raise the upload limit.',
  },
  project_sources: {
    status: 422,
    message: 'The project has no HDL source that can be built.',
    remedy: 'Send at least one .v, .sv or .vhd file.',
  },
  design_language: {
    status: 422,
    message: 'The language of the source file was not recognised.',
    remedy: 'Name the file .v or .sv for Verilog, .vhd for VHDL or .py for Amaranth.',
  },
  design_file_reference: {
    status: 422,
    message: 'The design refers to a file outside the upload.',
    remedy:
      'Send the files that it names, too: several files, a folder or a .zip. Or put everything into one source file.',
  },
  design_invalid: {
    status: 422,
    message: 'The design has an error.',
    remedy: 'Correct the lines that the log names and submit again.',
  },
  design_no_slave: {
    status: 422,
    message: 'No module of the design is a Wishbone slave.',
    remedy: 'Give the top module the ports of the contract that the log prints, or of a convention it knows.',
  },
  design_ambiguous: {
    status: 422,
    message: 'More than one module of the design is a Wishbone slave.',
    remedy: 'Choose one with the form field top.',
  },
  design_top_unknown: {
    status: 422,
    message: 'The design has no module of the name given in top.',
    remedy: 'Give the name of a module in the file, or omit the field.',
  },
  design_bad_tie: {
    status: 422,
    message: 'The form field ties or pins does not fit the port that it names.',
    remedy:
      'Tie only inputs that are not part of the bus; give pins values that fit, or free pins of the board.',
  },
  probe_unknown: {
    status: 422,
    message: 'The design has no signal of that name to probe.',
    remedy:
      'Use names as in the source, with a point between instances: u1.count, state[1:0], bus.cyc. GET /fpga/{fpga_id}/symbols lists those of a design that runs.',
  },
  probes_too_large: {
    status: 422,
    message: 'The probes do not fit.',
    remedy: 'Probe fewer signals, or parts of them: name[7:0].',
  },
  tool_failed: {
    status: 422,
    message: 'A tool of the toolchain refused the design.',
    remedy: 'Read the last lines of the job log: they name the reason and, if the tool knows it, the line.',
  },
  tool_crashed: {
    status: 422,
    message: 'A tool of the toolchain crashed on this design.',
    remedy: 'Simplify the construct that the log mentions last, or build with the native toolchain.',
  },
  tool_deadline: {
    status: 422,
    message: 'A build stage took too long and was stopped.',
    remedy:
      'Make the design smaller, large memories and multipliers above all, or raise the deadline of the stage.',
  },
  tool_memory: {
    status: 422,
    message: 'A build stage needed more memory than it may use.',
    remedy: 'Make the design smaller, large memories above all, or raise the memory limit of the toolchain.',
  },
  tool_missing: {
    status: 422,
    message: 'A tool that this design needs is not installed.',
    remedy: 'Install the tool that the message names, so that it is on the PATH of the service.',
  },
  vhdl_unconfined: {
    status: 422,
    message: 'VHDL is translated only in a sandbox, and none is available.',
    remedy:
      'Install bubblewrap and util-linux (Linux), or submit the design in Verilog. The operator can allow GHDL without a sandbox; docs/security.md explains the risk.',
  },
  build_aborted: {
    status: 409,
    message: 'The build was cancelled.',
    remedy: 'Submit the design again.',
  },
  build_too_large: {
    status: 422,
    message: 'The design does not fit the FPGA.',
    remedy:
      'Make it smaller or use a larger board: the log shows the resources needed. Only memories with clocked reads and writes become block RAM.',
  },
  build_unroutable: {
    status: 422,
    message: 'The design could not be placed and routed.',
    remedy: 'Read what the place and route tool says at the end of the log; a smaller design often helps.',
  },
  board_clock: {
    status: 422,
    message: 'The clock of the board is too slow for its serial line.',
    remedy: 'Correct the clock or the line rate in the board file.',
  },
  queue_address: {
    status: 422,
    message: 'The address of the build queue is not valid.',
    remedy:
      'Write redis://host:6379, with user:password@ in front of the host if Redis requires it, rediss:// for TLS.',
  },
  build_queue_full: {
    status: 503,
    message: 'The queue of builds is full.',
    remedy: 'Send the design again later; Retry-After says when.',
  },
  no_worker: {
    status: 503,
    message: 'No worker can build this.',
    remedy:
      'Start one that can: wishbench worker --queue with the address of the queue. GET /builds lists the workers.',
  },
  build_other_version: {
    status: 409,
    message: 'The worker has another version of the gateware or of the tools than the bench.',
    remedy: 'Run the same version of Wishbench on the bench and on its workers.',
  },
  worker_lost: {
    status: 422,
    message: 'Two workers died while they built this design.',
    remedy:
      'Look in the logs of the workers for the cause, which is often memory; then submit the design again.',
  },
  worker_failed: {
    status: 500,
    message: 'The worker failed for an internal reason.',
    remedy: 'Submit the design again; the log of the worker has the reason.',
  },
  build_damaged: {
    status: 500,
    message: 'The build was damaged on its way.',
    remedy: 'Submit the design again; if it happens again, check the memory of the Redis server.',
  },
});

/**
 * Method and address of every route, and what its answer is: `json`, `bytes` (a file or a log as it is), `empty`,
 * or `events`. Apart from the schemas in routes.ts, so that the client that a browser loads carries no schema.
 */
export const ENDPOINTS = {
  getHealth: { method: 'GET', path: '/health', answer: 'json' },

  listNodes: { method: 'GET', path: '/fpga', answer: 'json' },
  getNode: { method: 'GET', path: '/fpga/:fpga_id', answer: 'json' },
  getNodeDetails: { method: 'GET', path: '/fpga/:fpga_id/details', answer: 'json' },
  submitDesign: { method: 'POST', path: '/fpga/:fpga_id/submit', answer: 'json' },
  runTransaction: { method: 'POST', path: '/fpga/:fpga_id/run', answer: 'json' },
  resetNode: { method: 'POST', path: '/fpga/:fpga_id/reset', answer: 'json' },

  getSession: { method: 'GET', path: '/fpga/:fpga_id/session', answer: 'json' },
  releaseSession: { method: 'POST', path: '/fpga/:fpga_id/session/release', answer: 'json' },

  listNodeJobs: { method: 'GET', path: '/fpga/:fpga_id/jobs', answer: 'json' },
  getJob: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id', answer: 'json' },
  getJobDetails: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/details', answer: 'json' },
  getJobLog: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/logs', answer: 'bytes' },
  getRunResult: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/result', answer: 'json' },
  cancelJob: { method: 'DELETE', path: '/fpga/:fpga_id/jobs/:job_id', answer: 'empty' },
  getBuildReport: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/report', answer: 'json' },
  getBitstream: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/artifacts/bitstream', answer: 'bytes' },
  getSource: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/source', answer: 'bytes' },
  listJobs: { method: 'GET', path: '/jobs', answer: 'json' },
  findJob: { method: 'GET', path: '/jobs/:job_id', answer: 'json' },

  streamEvents: { method: 'GET', path: '/events', answer: 'events' },

  scanDesign: { method: 'POST', path: '/scan', answer: 'json' },
  listExamples: { method: 'GET', path: '/examples', answer: 'json' },
  getExample: { method: 'GET', path: '/examples/:file', answer: 'bytes' },

  exchangeToken: { method: 'POST', path: '/auth/idp/exchange', answer: 'json' },
  getOwnKey: { method: 'GET', path: '/auth/keys/me', answer: 'json' },
  revokeOwnKey: { method: 'DELETE', path: '/auth/keys/me', answer: 'empty' },
  listKeys: { method: 'GET', path: '/auth/keys', answer: 'json' },
  revokeKey: { method: 'DELETE', path: '/auth/keys/:key_id', answer: 'empty' },

  getStatus: { method: 'GET', path: '/status', answer: 'json' },
  getSettings: { method: 'GET', path: '/settings', answer: 'json' },
  changeSettings: { method: 'PUT', path: '/settings', answer: 'json' },
  listBoards: { method: 'GET', path: '/boards', answer: 'json' },
  assignBoard: { method: 'PUT', path: '/boards/:fpga_id', answer: 'json' },
  runDoctor: { method: 'GET', path: '/doctor', answer: 'json' },
} as const satisfies Record<
  string,
  {
    method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    path: `/${string}`;
    answer: 'json' | 'bytes' | 'empty' | 'events';
  }
>;

/** Unique name of an operation: the `operationId` of openapi.json and the method of the client. */
export type EndpointId = keyof typeof ENDPOINTS;

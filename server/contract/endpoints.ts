/**
 * Method, path and kind of answer of every route: `json`, `bytes` (a file or a log as it is), `empty`, `events`, or an
 * `upgrade` to a WebSocket. Separate from the schemas in routes/, so that the browser's client loads no schemas.
 */
export const ENDPOINTS = {
  getHealth: { method: 'GET', path: '/health', answer: 'json' },

  listNodes: { method: 'GET', path: '/fpga', answer: 'json' },
  getNode: { method: 'GET', path: '/fpga/:fpga_id', answer: 'json' },
  getNodeDetails: { method: 'GET', path: '/fpga/:fpga_id/details', answer: 'json' },
  submitDesign: { method: 'POST', path: '/fpga/:fpga_id/submit', answer: 'json' },
  runTransaction: { method: 'POST', path: '/fpga/:fpga_id/run', answer: 'json' },
  resetNode: { method: 'POST', path: '/fpga/:fpga_id/reset', answer: 'json' },

  openStream: { method: 'GET', path: '/fpga/:fpga_id/stream', answer: 'upgrade' },
  listTransactions: { method: 'GET', path: '/fpga/:fpga_id/transactions', answer: 'json' },
  listActivity: { method: 'GET', path: '/fpga/:fpga_id/activity', answer: 'json' },
  getCsrCsv: { method: 'GET', path: '/fpga/:fpga_id/csr.csv', answer: 'bytes' },
  getCsrJson: { method: 'GET', path: '/fpga/:fpga_id/csr.json', answer: 'json' },

  listSignals: { method: 'GET', path: '/fpga/:fpga_id/symbols', answer: 'json' },
  readSignals: { method: 'GET', path: '/fpga/:fpga_id/signals', answer: 'json' },
  getFloorplan: { method: 'GET', path: '/fpga/:fpga_id/floorplan', answer: 'json' },
  listCaptures: { method: 'GET', path: '/fpga/:fpga_id/captures', answer: 'json' },
  startCapture: { method: 'POST', path: '/fpga/:fpga_id/captures', answer: 'json' },
  getCapture: { method: 'GET', path: '/fpga/:fpga_id/captures/:capture_id', answer: 'json' },
  exportCapture: {
    method: 'GET',
    path: '/fpga/:fpga_id/captures/:capture_id/samples.:format',
    answer: 'bytes',
  },
  cancelCapture: { method: 'DELETE', path: '/fpga/:fpga_id/captures/:capture_id', answer: 'empty' },
  getBoardClock: { method: 'GET', path: '/fpga/:fpga_id/clock', answer: 'json' },
  setBoardClock: { method: 'POST', path: '/fpga/:fpga_id/clock', answer: 'json' },

  getSessionScript: { method: 'GET', path: '/fpga/:fpga_id/script', answer: 'json' },
  exportSessionScript: { method: 'GET', path: '/fpga/:fpga_id/script.:format', answer: 'bytes' },
  runScript: { method: 'POST', path: '/fpga/:fpga_id/script', answer: 'json' },
  listPins: { method: 'GET', path: '/fpga/:fpga_id/pins', answer: 'json' },
  readTerminal: { method: 'GET', path: '/fpga/:fpga_id/terminal', answer: 'json' },
  sendToTerminal: { method: 'POST', path: '/fpga/:fpga_id/terminal', answer: 'json' },
  setPins: { method: 'PUT', path: '/fpga/:fpga_id/pins', answer: 'json' },

  getSession: { method: 'GET', path: '/fpga/:fpga_id/session', answer: 'json' },
  releaseSession: { method: 'POST', path: '/fpga/:fpga_id/session/release', answer: 'json' },
  requestControl: { method: 'POST', path: '/fpga/:fpga_id/control', answer: 'json' },
  withdrawControlRequest: { method: 'DELETE', path: '/fpga/:fpga_id/control', answer: 'empty' },
  declineControlRequest: { method: 'POST', path: '/fpga/:fpga_id/control/decline', answer: 'empty' },
  extendSession: { method: 'POST', path: '/fpga/:fpga_id/session/extend', answer: 'json' },
  handOverSession: { method: 'POST', path: '/fpga/:fpga_id/session/handover', answer: 'json' },

  listNodeJobs: { method: 'GET', path: '/fpga/:fpga_id/jobs', answer: 'json' },
  getJob: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id', answer: 'json' },
  getJobDetails: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/details', answer: 'json' },
  getJobLog: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/logs', answer: 'bytes' },
  getRunResult: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/result', answer: 'json' },
  cancelJob: { method: 'DELETE', path: '/fpga/:fpga_id/jobs/:job_id', answer: 'empty' },
  stopJob: { method: 'POST', path: '/fpga/:fpga_id/jobs/:job_id/stop', answer: 'json' },
  getBuildReport: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/report', answer: 'json' },
  getBuildFloorplan: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/floorplan', answer: 'json' },
  getBitstream: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/artifacts/bitstream', answer: 'bytes' },
  getSource: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/source', answer: 'bytes' },
  listDesignFiles: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/files', answer: 'json' },
  getDesignFile: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/files/:path', answer: 'bytes' },
  getScriptReport: { method: 'GET', path: '/fpga/:fpga_id/jobs/:job_id/script', answer: 'json' },
  submitToAnyNode: { method: 'POST', path: '/submit', answer: 'json' },
  listJobs: { method: 'GET', path: '/jobs', answer: 'json' },
  findJob: { method: 'GET', path: '/jobs/:job_id', answer: 'json' },
  findJobLog: { method: 'GET', path: '/jobs/:job_id/logs', answer: 'bytes' },
  findRunResult: { method: 'GET', path: '/jobs/:job_id/result', answer: 'json' },
  cancelAnyJob: { method: 'DELETE', path: '/jobs/:job_id', answer: 'empty' },
  stopAnyJob: { method: 'POST', path: '/jobs/:job_id/stop', answer: 'json' },

  streamEvents: { method: 'GET', path: '/events', answer: 'events' },

  scanDesign: { method: 'POST', path: '/scan', answer: 'json' },
  listExamples: { method: 'GET', path: '/examples', answer: 'json' },
  getExample: { method: 'GET', path: '/examples/:file', answer: 'bytes' },

  listDesigns: { method: 'GET', path: '/designs', answer: 'json' },
  getDesign: { method: 'GET', path: '/designs/:design_id', answer: 'json' },
  getDesignSource: { method: 'GET', path: '/designs/:design_id/versions/:job_id/source', answer: 'bytes' },
  getDesignScript: { method: 'GET', path: '/designs/:design_id/script', answer: 'json' },
  exportDesignScript: { method: 'GET', path: '/designs/:design_id/script.:format', answer: 'bytes' },
  putDesignScript: { method: 'PUT', path: '/designs/:design_id/script', answer: 'json' },
  getDesignMap: { method: 'GET', path: '/designs/:design_id/map', answer: 'json' },
  putDesignMap: { method: 'PUT', path: '/designs/:design_id/map', answer: 'json' },
  proposeDesignMap: { method: 'GET', path: '/designs/:design_id/map/proposal', answer: 'json' },
  deleteDesignMap: { method: 'DELETE', path: '/designs/:design_id/map', answer: 'empty' },
  getDesignPanel: { method: 'GET', path: '/designs/:design_id/panel', answer: 'json' },
  putDesignPanel: { method: 'PUT', path: '/designs/:design_id/panel', answer: 'json' },
  deleteDesignPanel: { method: 'DELETE', path: '/designs/:design_id/panel', answer: 'empty' },
  getDesignWaves: { method: 'GET', path: '/designs/:design_id/waves', answer: 'json' },
  putDesignWaves: { method: 'PUT', path: '/designs/:design_id/waves', answer: 'json' },
  deleteDesignWaves: { method: 'DELETE', path: '/designs/:design_id/waves', answer: 'empty' },
  listDesignCaptures: { method: 'GET', path: '/designs/:design_id/captures', answer: 'json' },
  saveCapture: { method: 'POST', path: '/designs/:design_id/captures', answer: 'json' },
  exportDesignCapture: {
    method: 'GET',
    path: '/designs/:design_id/captures/:capture_id/samples.:format',
    answer: 'bytes',
  },
  deleteDesignCapture: {
    method: 'DELETE',
    path: '/designs/:design_id/captures/:capture_id',
    answer: 'empty',
  },
  deleteDesignScript: { method: 'DELETE', path: '/designs/:design_id/script', answer: 'empty' },

  exchangeToken: { method: 'POST', path: '/auth/idp/exchange', answer: 'json' },
  exchangeGithubToken: { method: 'POST', path: '/auth/github/exchange', answer: 'json' },
  getOwnKey: { method: 'GET', path: '/auth/keys/me', answer: 'json' },
  revokeOwnKey: { method: 'DELETE', path: '/auth/keys/me', answer: 'empty' },
  listKeys: { method: 'GET', path: '/auth/keys', answer: 'json' },
  mintKey: { method: 'POST', path: '/auth/keys', answer: 'json' },
  revokeKey: { method: 'DELETE', path: '/auth/keys/:key_id', answer: 'empty' },
  listInvites: { method: 'GET', path: '/auth/invites', answer: 'json' },
  createInvite: { method: 'POST', path: '/auth/invites', answer: 'json' },
  redeemInvite: { method: 'POST', path: '/auth/invites/redeem', answer: 'json' },
  withdrawInvite: { method: 'DELETE', path: '/auth/invites/:invite_id', answer: 'empty' },

  makeReport: { method: 'POST', path: '/report', answer: 'bytes' },
  makeBackup: { method: 'POST', path: '/backup', answer: 'bytes' },
  getAudit: { method: 'GET', path: '/audit', answer: 'json' },
  verifyAudit: { method: 'POST', path: '/audit/verify', answer: 'json' },
  getMetrics: { method: 'GET', path: '/metrics', answer: 'bytes' },
  listBuilds: { method: 'GET', path: '/builds', answer: 'json' },
  listBenches: { method: 'GET', path: '/benches', answer: 'json' },
  getOwnBench: { method: 'GET', path: '/benches/own', answer: 'json' },
  getStatus: { method: 'GET', path: '/status', answer: 'json' },
  getSettings: { method: 'GET', path: '/settings', answer: 'json' },
  changeSettings: { method: 'PUT', path: '/settings', answer: 'json' },
  listBoards: { method: 'GET', path: '/boards', answer: 'json' },
  assignBoard: { method: 'PUT', path: '/boards/:fpga_id', answer: 'json' },
  getCapabilities: { method: 'GET', path: '/capabilities', answer: 'json' },
  startBoardCheck: { method: 'POST', path: '/boards/:fpga_id/check', answer: 'json' },
  getBoardCheck: { method: 'GET', path: '/boards/:fpga_id/check', answer: 'json' },
  getBoardCheckReport: { method: 'GET', path: '/boards/:fpga_id/check/report', answer: 'bytes' },
  cancelBoardCheck: { method: 'DELETE', path: '/boards/:fpga_id/check', answer: 'json' },
  runDoctor: { method: 'POST', path: '/doctor', answer: 'json' },
} as const satisfies Record<
  string,
  {
    method: 'GET' | 'POST' | 'PUT' | 'DELETE';
    path: `/${string}`;
    answer: 'json' | 'bytes' | 'empty' | 'events' | 'upgrade';
  }
>;

/** Unique name of an operation: the `operationId` of openapi.json and the method of the client. */
export type EndpointId = keyof typeof ENDPOINTS;

/** Method and path as text: `GET /fpga/{fpga_id}`. */
export const addressOf = (id: EndpointId): string =>
  `${ENDPOINTS[id].method} ${ENDPOINTS[id].path.replace(/:(\w+)/g, '{$1}')}`;

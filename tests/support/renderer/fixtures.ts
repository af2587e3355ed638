/** An idle node on its virtual board. */
import type { BenchStatus } from '../../../server/contract/bench/bench.ts';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../server/contract/nodes/nodes.ts';
export const node = (id: number, change: Partial<NodeView> = {}): NodeView => ({
  fpga_id: id,
  state: 'idle',
  session: null,
  current_job_id: null,
  error: null,
  resetting: false,
  board: {
    slot: id,
    id: `virtual:${id}`,
    kind: 'virtual',
    definition: 'virtual-hx8k',
    name: 'Virtual iCE40-HX8K',
    present: true,
  },
  design: null,
  last_job_id: null,
  last_build: null,
  control_requests: [],
  replacement: null,
  ...change,
});

export const tenNodes = (change: Partial<Record<number, Partial<NodeView>>> = {}): NodeView[] =>
  Array.from({ length: 10 }, (_, id) => node(id, change[id]));

export const SESSION_ID = '11111111-2222-4333-8444-555555555555';

/** A reserved node, held by `owner` for another hour. */
export const reserved = (id: number, owner = 'alice', change: Partial<NodeView> = {}): NodeView =>
  node(id, {
    state: 'reserved',
    session: {
      session_id: SESSION_ID,
      fpga_id: id,
      owner,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
    design: { filename: 'echo.v', build_id: 'ab'.repeat(32), module: 'echo', design_id: 'echo-v-00000000' },
    ...change,
  });

let count = 0;
export const uuid = (): string => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;

export const job = (change: Partial<Job> = {}): Job => ({
  job_id: uuid(),
  fpga_id: 0,
  type: 'build_and_program',
  status: 'complete',
  created_at: '2026-01-02T10:00:00.000Z',
  updated_at: '2026-01-02T10:00:04.100Z',
  started_at: '2026-01-02T10:00:00.000Z',
  owner: 'alice',
  submit: { filename: 'echo.v', size: 1124, options: {} },
  ...change,
});

export const status = (change: Partial<BenchStatus> = {}): BenchStatus => ({
  version: '0.1.0',
  started_at: '2026-01-02T09:00:00.000Z',
  address: 'http://127.0.0.1:8000',
  lan: { enabled: false, addresses: [], tls: null },
  enforcement: false,
  identity_provider: 'none',
  caller: { owner: 'anonymous', operator: true, key: false },
  clients: 1,
  store: true,
  disk: 'ok',
  builds: { busy: 0, total: 3, waiting: 0 },
  data: { bytes: 2048, jobs_bytes: 1024, free_bytes: 1 << 30, folder: '/var/lib/wishbench' },
  languages: [],
  engines: [],
  limits: { upload_bytes: 1 << 20, words_per_run: 65_536, session_ttl_seconds: 3600 },
  ...change,
});

// What the service sends, taken from the service's own types and schemas.
import type { Static } from 'typebox';
import type {
  AssignRequest as AssignRequestSchema,
  BenchStatus as BenchStatusSchema,
  BoardList as BoardListSchema,
  Example as ExampleSchema,
  KeyView as KeyViewSchema,
  KnownBoard as KnownBoardSchema,
  SettingsResponse as SettingsResponseSchema,
} from '../../../server/api/schemas/bench.ts';

export type { LiveEvent, SnapshotEvent } from '../../../server/api/live.ts';
export type { Finding } from '../../../server/boards/doctor/finding.ts';
export type { BenchEvent } from '../../../server/events/events.ts';
export type {
  BoardView,
  FpgaState,
  Job,
  JobFailure,
  JobStatus,
  JobType,
  NodeView,
  RunDetails,
  Session,
  Stage,
  SubmitOptions,
} from '../../../server/nodes/model.ts';
export type {
  BuildReport,
  Diagnostic,
  EngineInfo,
  MatchedDesign,
  ScanResult,
  Utilisation,
} from '../../../server/toolchain/toolchain.ts';

/** The contract's SubmitResponse and RunResponse. */
export interface Accepted {
  job_id: string;
  fpga_id: number;
  status: string;
}

/** The contract's RunResultResponse. */
export interface RunResult {
  ok: boolean;
  data: number[];
}

/** The contract's RunRequest. */
export interface RunRequest {
  op: 1 | 2;
  address: number;
  data?: number[];
  count?: number;
  fixed_address?: boolean;
}

/** GET /status, and what `status` events bring of it. */
export type BenchStatus = Static<typeof BenchStatusSchema>;
/** GET /settings. */
export type SettingsResponse = Static<typeof SettingsResponseSchema>;
/** GET /boards. */
export type BoardList = Static<typeof BoardListSchema>;
export type KnownBoard = Static<typeof KnownBoardSchema>;
/** PUT /boards/{fpga_id}. */
export type AssignRequest = Static<typeof AssignRequestSchema>;
/** GET /auth/keys. */
export type KeyView = Static<typeof KeyViewSchema>;
/** GET /examples. */
export type Example = Static<typeof ExampleSchema>;
export type { Settings, SettingsPatch } from '../../../server/settings.ts';

/** A key that the service minted after an identity provider vouched for its user. */
export interface SignedIn {
  apiKey: string;
  username: string;
  /** Handed out to this window, so that signing out ends it. */
  minted: boolean;
}

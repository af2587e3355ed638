// What the service sends, taken from the service's own types and schemas.

export type { EngineInfo } from '../../../server/contract/bench.ts';
export type { BoardView, Finding } from '../../../server/contract/boards.ts';
export type {
  BuildReport,
  MatchedDesign,
  ScanResult,
  Utilisation,
} from '../../../server/contract/designs.ts';
export type { Diagnostic, Failure } from '../../../server/contract/diagnostics.ts';
export type { BenchEvent, LiveEvent, SnapshotEvent } from '../../../server/contract/events.ts';
export type {
  Job,
  JobStatus,
  JobType,
  RunDetails,
  Stage,
  SubmitOptions,
} from '../../../server/contract/jobs.ts';
export type { FpgaState, NodeView, Session } from '../../../server/contract/nodes.ts';
export type { Settings, SettingsPatch } from '../../../server/contract/settings.ts';

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

/** A key that the service minted after an identity provider vouched for its user. */
export interface SignedIn {
  apiKey: string;
  username: string;
  /** Handed out to this window, so that signing out ends it. */
  minted: boolean;
}

import { apiError } from './api.ts';
import { authError } from './auth.ts';
import type { ErrorSpec } from './bench-error.ts';
import { benchesError } from './benches.ts';
import { boardsError } from './boards.ts';
import { coursesError } from './courses.ts';
import { designsError } from './designs.ts';
import { jobsError } from './jobs.ts';
import { signalsError } from './signals.ts';
import { storeError } from './store.ts';
import { toolchainError } from './toolchain.ts';
import { wishboneError } from './wishbone.ts';

/** Every error code of the bench, by area; a test compares docs/errors.md with it. */
export const ERROR_AREAS = {
  api: apiError.specs,
  auth: authError.specs,
  jobs: jobsError.specs,
  designs: designsError.specs,
  courses: coursesError.specs,
  toolchain: toolchainError.specs,
  boards: boardsError.specs,
  signals: signalsError.specs,
  wishbone: wishboneError.specs,
  store: storeError.specs,
  benches: benchesError.specs,
} as const satisfies Readonly<Record<string, Readonly<Record<string, ErrorSpec>>>>;

type Areas = typeof ERROR_AREAS;

/** Any code of the catalogue. */
export type ErrorCode = { [A in keyof Areas]: keyof Areas[A] }[keyof Areas] & string;

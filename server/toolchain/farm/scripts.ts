import { BENCH_SCRIPTS } from './scripts/bench.ts';
import { FARM_SCRIPTS } from './scripts/farm.ts';
import { WORKER_SCRIPTS } from './scripts/worker.ts';

/** The scripts that run in Redis, by name. */
export const SCRIPTS = { ...BENCH_SCRIPTS, ...FARM_SCRIPTS, ...WORKER_SCRIPTS };
export type ScriptName = keyof typeof SCRIPTS;

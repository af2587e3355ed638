/** Settings that are read once, when the bench starts: `group.field`. */
export const NEEDS_RESTART: readonly string[] = [
  'network.port',
  'limits.words_per_run',
  'toolchain.tool_folder',
  'toolchain.build_slots',
  'toolchain.queue',
  'toolchain.cache_bytes',
  'toolchain.stage_deadline_seconds',
  'toolchain.memory_bytes',
];

// English. A sentence with values is a function: another language may order the values differently. These are exports
// of a module, not properties of an object: a screen then loads only its own sentences.
export { access } from './en/access.ts';
export { audit } from './en/audit.ts';
export { backup } from './en/backup.ts';
export { bench } from './en/bench.ts';
export { benches } from './en/benches.ts';
export { check, proven } from './en/boards.ts';
export { builds } from './en/builds.ts';
export { captures } from './en/captures.ts';
export { changes } from './en/changes.ts';
export * from './en/common.ts';
export { courses } from './en/courses.ts';
export { decoders } from './en/decoders.ts';
export { editor } from './en/editor.ts';
export { floorplan } from './en/floorplan.ts';
export { log } from './en/log.ts';
export { node } from './en/node.ts';
export { nodeActions } from './en/node-actions.ts';
export { activity, notices } from './en/notices.ts';
export { panel } from './en/panel.ts';
export { registers } from './en/registers.ts';
export { boards, doctor, jobs } from './en/screens.ts';
export { settings } from './en/settings.ts';
export { shell } from './en/shell.ts';
export { signals } from './en/signals.ts';
export { terminal } from './en/terminal.ts';
export { watching } from './en/watching.ts';

// English. Functions where a sentence takes values: another language may order them in its own way.
// Names of a module and not of an object, so that a screen loads its own sentences and no others.
export { access } from './en/access.ts';
export { audit } from './en/audit.ts';
export { bench } from './en/bench.ts';
export { benches } from './en/benches.ts';
export { check, proven } from './en/boards.ts';
export { builds } from './en/builds.ts';
export * from './en/common.ts';
export { floorplan } from './en/floorplan.ts';
export { log } from './en/log.ts';
export { node } from './en/node.ts';
export { nodeActions } from './en/node-actions.ts';
export { panel } from './en/panel.ts';
export { registers } from './en/registers.ts';
export { boards, doctor, jobs } from './en/screens.ts';
export { settings } from './en/settings.ts';
export { shell } from './en/shell.ts';
export { signals } from './en/signals.ts';
export { watching } from './en/watching.ts';

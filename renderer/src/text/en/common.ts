/** Words that every screen uses. */
export const product = 'Wishbench';
export const close = 'Close';
export const cancel = 'Cancel';
export const keep = 'Keep as it is';
export const save = 'Save';
export const copy = 'Copy';
export const copied = 'Copied.';
export const notCopied = 'The browser did not allow copying. Select the text and copy it by hand.';
export const loading = 'Loading…';
export const tryAgain = 'Try again';
export const dismiss = 'Dismiss';
export const undo = 'Undo';
export const splitHint = 'Drag or use the arrow keys; double click for the usual width';
export const all = 'All';
export const by = (name: string) => `by ${name}`;
export const error = {
  unreachable: 'The service does not answer.',
  unreachableRemedy: 'Check that the bench is running and that this computer reaches it, then try again.',
  unexpected: 'This page met an unexpected error.',
};
export const state = {
  idle: 'idle',
  queued: 'queued',
  building: 'building',
  programming: 'programming',
  reserved: 'reserved',
  error: 'error',
  resetting: 'resetting',
};
export const status = {
  queued: 'queued',
  running: 'running',
  complete: 'complete',
  failed: 'failed',
  cancelled: 'cancelled',
  stopped: 'stopped',
  missed: 'timing missed',
};
export const stage = {
  queue: 'Queue',
  scan: 'Scan',
  synthesis: 'Synthesis',
  place: 'Place',
  route: 'Route',
  pack: 'Pack',
  program: 'Program',
  identify: 'Identify',
  script: 'Script',
  transfer: 'Transfer',
};
export const job = {
  build_and_program: 'Build',
  run: 'Run',
  reset: 'Reset',
  read: (count: number, address: string) => `Read ${count === 1 ? '' : `${count} words `}at ${address}`,
  write: (count: number, address: string) => `Write ${count === 1 ? '' : `${count} words `}at ${address}`,
  build: (file: string) => `Build ${file}`,
  notAcknowledged: 'not acknowledged',
  cached: 'from the cache',
  scriptPassed: (count: number) => `✓ script, ${count === 1 ? '1 step' : `${count} steps`}`,
  scriptFailed: (failed: number, count: number) => `✗ script, ${failed} of ${count} steps`,
};
export const session = {
  expires: 'Expires',
};
export const format = {
  label: 'Number format',
  hex: 'Hex',
  decimal: 'Dec',
  signed: 'Signed',
  binary: 'Bin',
};

/** 1st, 2nd, 3rd, 4th, 11th, 21st … */
export function ordinal(place: number): string {
  const ending =
    place % 100 >= 11 && place % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending}`;
}

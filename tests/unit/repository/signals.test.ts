import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { passSignals } from '../../../signals.mjs';

/** The signals that a child gets when this process gets each of these. */
function passed(platform: NodeJS.Platform, signals: NodeJS.Signals[]): NodeJS.Signals[] {
  const own = new EventEmitter();
  const sent: NodeJS.Signals[] = [];
  passSignals({ kill: (signal) => sent.push(signal) }, platform, own);
  // False without a listener: then the process would end before its child.
  for (const signal of signals) expect(own.emit(signal)).toBe(true);
  return sent;
}

test('run.mjs passes signals on, but not on Windows, where the console has sent them to both', () => {
  expect(passed('linux', ['SIGINT', 'SIGTERM', 'SIGHUP'])).toEqual(['SIGINT', 'SIGTERM', 'SIGHUP']);
  expect(passed('win32', ['SIGINT', 'SIGBREAK', 'SIGHUP'])).toEqual([]);
});

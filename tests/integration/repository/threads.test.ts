import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { distPath } from '../../../server/paths.ts';

// Node 20 aborts the process ("location_) != nullptr", in ExecuteAsyncModule) when a thread is ended while such a module
// is about to run: threads are ended at any moment, and the service must not go with them.
test('no worker module has a top-level await', () => {
  const threads = readdirSync(distPath('server')).filter((file) => file.endsWith('-worker.js'));
  expect(threads).toContain('build-worker.js');
  for (const file of threads)
    expect(readFileSync(distPath('server', file), 'utf8'), file).not.toMatch(/^(?:[^\s/*].*\s)?await\s/m);
});

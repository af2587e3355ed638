import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Figure, median, quantile, reported } from './figure.ts';

const FLUSHES = 200;

/** Time of the folder's disk for a line of a file. A run is acknowledged after such a write, and takes two. */
export function flushes(folder: string): Figure[] {
  const name = path.join(folder, 'flush');
  const file = openSync(name, 'a');
  const took = Array.from({ length: FLUSHES }, () => {
    const began = performance.now();
    writeSync(file, 'a line of a history, about as long as one is\n');
    fsyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(name);
  return [
    reported('the disk: a line of a file flushed, median', median(took), 'ms'),
    reported('the disk: the same, p99', quantile(took, 0.99), 'ms'),
  ];
}

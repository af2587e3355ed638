import { bench } from './en/bench.ts';
import { common } from './en/common.ts';
import { log } from './en/log.ts';
import { node } from './en/node.ts';
import { registers } from './en/registers.ts';
import { screens } from './en/screens.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';

/** English. Functions where a sentence takes values: another language may order them in its own way. */
export const en = {
  ...common,
  shell,
  bench,
  node,
  log,
  registers,
  ...screens,
  settings,
};

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from './paths.ts';

/** Version of the application and of its interface. */
export const VERSION: string = JSON.parse(readFileSync(path.join(appRoot, 'package.json'), 'utf8')).version;

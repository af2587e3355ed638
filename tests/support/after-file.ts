import { afterAll } from 'vitest';
import { removeTemporaryFolders } from './temporary.ts';

// Runs for every test file, also where files share a process and what they import is loaded once.
afterAll(removeTemporaryFolders);

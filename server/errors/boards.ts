import { defineErrors } from './bench-error.ts';

export const boardsError = defineErrors({});

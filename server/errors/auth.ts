import { defineErrors } from './bench-error.ts';

export const authError = defineErrors({});

import { defineErrors } from './bench-error.ts';

export const apiError = defineErrors({});

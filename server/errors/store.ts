import { defineErrors } from './bench-error.ts';

export const storeError = defineErrors({});

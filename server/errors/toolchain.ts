import { defineErrors } from './bench-error.ts';

export const toolchainError = defineErrors({});

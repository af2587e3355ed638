import { defineErrors } from './bench-error.ts';

export const wishboneError = defineErrors({});

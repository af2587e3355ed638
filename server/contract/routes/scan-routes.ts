import Type from 'typebox';
import { DesignForm, Example, ScanResult } from '../designs/uploads.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerFile, type Route } from '../route.ts';

/** Routes of designs that are scanned without a build, and of the examples. */
export const SCAN_ROUTES = {
  scanDesign: {
    summary: 'Find the Wishbone slave of a design without a build',
    tag: 'designs',
    access: 'key',
    body: { takes: 'form', schema: DesignForm },
    answers: {
      200: answer(
        'What was found; `matched` is null when nothing fits, and each module says why.',
        ScanResult,
      ),
    },
    errors: ['service_stopping'],
    errorArea: 'toolchain',
  },

  listExamples: {
    summary: 'The example designs',
    tag: 'designs',
    access: 'key',
    answers: { 200: answer('The examples.', Type.Array(Example)) },
  },

  getExample: {
    summary: 'The source of an example; a zip for a project',
    tag: 'designs',
    access: 'key',
    params: Type.Object({ file: Type.String({ minLength: 1, maxLength: 128 }) }),
    answers: { 200: answerFile('The source file, or the archive.', 'text/plain', 'application/zip') },
    errors: ['example_not_found'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;

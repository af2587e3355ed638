import Type from 'typebox';
import { enumOf, RequestUuid } from '../component.ts';
import { DesignDetails, DesignId, DesignSummary } from '../designs/designs.ts';
import { Panel } from '../designs/panel.ts';
import type { EndpointId } from '../endpoints.ts';
import { JobId } from '../jobs/jobs.ts';
import { SCRIPT_EXPORTS, Script } from '../jobs/scripts.ts';
import { answer, answerEmpty, answerFile, type Route } from '../route.ts';
import { SaveCaptureRequest, SavedCapture } from '../signals/saved-captures.ts';
import { CAPTURE_FORMATS } from '../signals/signals.ts';
import { Waves } from '../signals/waves.ts';
import { design } from './shared.ts';

/** Formats of `GET …/script.{format}`. */
export const ExportFormat = enumOf(SCRIPT_EXPORTS, {
  description: '`curl`: bash with curl; `py`, `ts`: Python and TypeScript with the clients of the bench.',
});

const CaptureOfDesign = Type.Object({ design_id: DesignId, capture_id: RequestUuid('The capture.') });

/** Routes of designs with their versions and documents. */
export const DESIGNS_ROUTES = {
  listDesigns: {
    summary: 'The designs, newest first',
    tag: 'designs',
    access: 'key',
    query: Type.Object({
      owner: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 512,
          description:
            'Only designs of this owner; `*` for all. Absent: as in the list of jobs, the caller’s own if it has a name.',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: 100,
          description: 'Maximum number.',
        }),
      ),
    }),
    answers: { 200: answer('The designs.', Type.Array(DesignSummary)) },
  },

  getDesign: {
    ...design,
    summary: 'A design with its versions',
    answers: { 200: answer('The design.', DesignDetails) },
    errors: ['design_not_found'],
  },

  getDesignSource: {
    ...design,
    params: Type.Object({ design_id: DesignId, job_id: JobId }),
    summary: 'The source of a version',
    answers: { 200: answerFile('The source as it was submitted.', 'text/plain') },
    errors: ['design_not_found', 'version_not_found', 'too_busy'],
  },

  getDesignScript: {
    ...design,
    summary: 'The stored script of a design',
    answers: { 200: answer('The script.', Script), 204: answerEmpty('The design has no script.') },
    errors: ['design_not_found'],
  },

  exportDesignScript: {
    ...design,
    params: Type.Object({ design_id: DesignId, format: ExportFormat }),
    summary: 'The same as a program',
    description:
      'It submits the file that it gets, or runs on the node that WISHBENCH_NODE names, prints each step and exits with 1 if one failed.',
    answers: { 200: answerFile('The program.', 'text/plain') },
    errors: ['design_not_found', 'no_script'],
  },

  putDesignScript: {
    ...design,
    summary: 'Keep a script that runs on every build of a design',
    body: { takes: 'json', schema: Script },
    holder: 'design',
    answers: { 200: answer('Kept.', Script) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  deleteDesignScript: {
    ...design,
    summary: 'Remove the script of a design',
    holder: 'design',
    answers: { 204: answerEmpty('It was removed.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },

  getDesignPanel: {
    ...design,
    summary: 'The panel layout of a design',
    answers: { 200: answer('The panel.', Panel), 204: answerEmpty('The design has no stored panel.') },
    errors: ['design_not_found'],
  },

  putDesignPanel: {
    ...design,
    summary: 'Keep a panel layout with a design',
    body: { takes: 'json', schema: Panel },
    holder: 'design',
    answers: { 200: answer('Kept.', Panel) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  deleteDesignPanel: {
    ...design,
    summary: 'Remove the panel layout of a design',
    holder: 'design',
    answers: { 204: answerEmpty('It was removed.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },

  getDesignWaves: {
    ...design,
    summary: 'The watched signals of a design',
    answers: {
      200: answer('The rows of its waveforms.', Waves),
      204: answerEmpty('The design has no stored waveform view.'),
    },
    errors: ['design_not_found'],
  },

  putDesignWaves: {
    ...design,
    summary: 'Keep the watched signals of a design',
    description: 'Names are not looked up: a version of the design may have them again.',
    body: { takes: 'json', schema: Waves },
    holder: 'design',
    answers: { 200: answer('Kept.', Waves) },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable', 'storage_low'],
  },

  deleteDesignWaves: {
    ...design,
    summary: 'Remove the watched signals of a design',
    holder: 'design',
    answers: { 204: answerEmpty('It was removed.') },
    errors: ['design_not_found', 'not_design_owner', 'store_unavailable'],
  },

  listDesignCaptures: {
    ...design,
    summary: 'The captures that are kept with a design',
    answers: { 200: answer('Newest first.', Type.Array(SavedCapture)) },
    errors: ['design_not_found'],
  },

  saveCapture: {
    ...design,
    summary: 'Keep a capture with a design',
    description: 'Up to 20 of them, each with its samples. Storing the same capture again renames it.',
    body: { takes: 'json', schema: SaveCaptureRequest },
    holder: 'design',
    answers: { 201: answer('Kept.', SavedCapture) },
    errors: [
      'design_not_found',
      'not_design_owner',
      'store_unavailable',
      'storage_low',
      'captures_full',
      'capture_not_found',
      'capture_not_ended',
      'no_samples',
      'capture_of_other_design',
    ],
  },

  exportDesignCapture: {
    ...design,
    params: Type.Object({
      ...CaptureOfDesign.properties,
      format: enumOf(CAPTURE_FORMATS),
    }),
    summary: 'The samples of a kept capture',
    description: 'As those of a capture of a node.',
    answers: { 200: answerFile('The samples.', 'application/octet-stream', 'application/json') },
    errors: ['design_not_found', 'saved_capture_not_found'],
  },

  deleteDesignCapture: {
    ...design,
    params: CaptureOfDesign,
    summary: 'Remove a kept capture',
    holder: 'design',
    answers: { 204: answerEmpty('It was removed.') },
    errors: ['design_not_found', 'not_design_owner', 'saved_capture_not_found', 'store_unavailable'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;

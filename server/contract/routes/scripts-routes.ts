import Type from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { enumOf } from '../component.ts';
import type { EndpointId } from '../endpoints.ts';
import { JobId } from '../jobs/jobs.ts';
import { RecordedScript, ScriptReport, ScriptRun } from '../jobs/scripts.ts';
import { answer, answerFile, answerOr, type Route } from '../route.ts';
import { ExportFormat } from './designs-routes.ts';
import { NodeParams } from './shared.ts';

const ReportQuery = Type.Object({
  format: Type.Optional(
    enumOf(['json', 'junit'], { default: 'json', description: '`junit`: XML as CI servers read it.' }),
  ),
});

/** Routes of scripts on nodes: generated from a session, run, reported. */
export const SCRIPTS_ROUTES = {
  getSessionScript: {
    summary: 'The session as a script',
    description:
      'Reads become expectations; for a word that changed by itself, the step expects a range, its stable bits, or nothing. Polling becomes a wait, a repetition becomes a repeat. Refused transactions are skipped.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('The script.', RecordedScript) },
  },

  exportSessionScript: {
    summary: 'The same as a program',
    tag: 'nodes',
    access: 'key',
    params: Type.Object({ fpga_id: FpgaId, format: ExportFormat }),
    answers: { 200: answerFile('The program.', 'text/plain') },
  },

  runScript: {
    summary: 'Run a script on a node',
    description:
      'Answers when it has ended, passed or not. It ends early when the caller goes away or the session ends. No jobs are made; its transactions are in the record of the session.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: ReportQuery,
    body: { takes: 'json', schema: ScriptRun },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answerOr('How it went.', ScriptReport, 'application/xml') },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'design_not_found',
      'no_script',
      'too_many_open',
      'too_many_streams',
    ],
  },

  getScriptReport: {
    summary: 'The result of the design’s script after a build',
    tag: 'jobs',
    access: 'key',
    params: Type.Object({ fpga_id: FpgaId, job_id: JobId }),
    query: ReportQuery,
    answers: { 200: answerOr('How it went.', ScriptReport, 'application/xml') },
    errors: ['job_not_found', 'no_script'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;

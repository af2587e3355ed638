import type { Diagnostic } from '../../contract/diagnostics.ts';

/** A source that has been looked through for references to other files. */
export interface CheckedSource {
  /** Line for line the source, without what would make a tool open another file. */
  text: string;
  /** What was left out, one sentence each, for the job's log. */
  notes: string[];
  /** Errors here mean that the text must not be given to a tool. */
  diagnostics: Diagnostic[];
}

/** An error of the code design_file_reference. */
export const fileReference = (file: string, line: number, message: string): Diagnostic => ({
  severity: 'error',
  code: 'design_file_reference',
  file,
  line,
  message,
});

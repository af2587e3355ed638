import { Compile } from 'typebox/compile';
import type { FieldProblem } from '../contract/failures.ts';
import { SubmitOptions } from '../contract/jobs.ts';
import { apiError } from '../errors/api.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { Form } from './edge/form.ts';
import { check, fromText, validationError } from './edge/validation.ts';

/** A design as it was uploaded. */
export interface UploadedDesign {
  filename: string;
  source: Uint8Array;
  options: SubmitOptions;
}

const validator = Compile(SubmitOptions);

function optionOf(name: string, text: string): unknown {
  if (name !== 'ties') return fromText((SubmitOptions.properties as Record<string, object>)[name], text);
  try {
    return JSON.parse(text);
  } catch {
    throw validationError([{ loc: ['body', name], msg: 'is not a JSON object', type: 'json_invalid' }]);
  }
}

const fileProblem = (msg: string, type: string): BenchError =>
  validationError([{ loc: ['body', 'file'], msg, type } satisfies FieldProblem]);

/** The one file of the form. */
function fileOf(form: Form, mostBytes: number): { filename: string; source: Uint8Array } {
  const files = form.files.filter(({ field }) => field === 'file');
  const [file] = files;
  if (!file) {
    if (form.fields.some(({ name }) => name === 'file'))
      throw fileProblem('must be sent as a file, with a file name', 'file_type');
    const others = form.files.map(({ field }) => `“${field.slice(0, 64)}”`).join(', ');
    throw fileProblem(others === '' ? 'is missing' : `is missing; a file was sent as ${others}`, 'missing');
  }
  if (files.length > 1) throw fileProblem('was sent more than once: a design is one file', 'too_many_files');
  if (file.filename === '') throw fileProblem('has no name', 'missing');
  if (file.bytes.length === 0) throw fileProblem('is empty', 'file_empty');
  if (file.bytes.length > mostBytes)
    throw apiError('file_too_large', { message: `The source file is larger than ${mostBytes} bytes.` });
  return { filename: file.filename, source: file.bytes };
}

/**
 * Checks the form of a submit. Fields that it does not know are left alone.
 * @throws BenchError validation_error, file_too_large.
 */
export function designOf(form: Form, mostBytes: number): UploadedDesign {
  const file = fileOf(form, mostBytes);
  const options: Record<string, unknown> = {};
  for (const { name, value } of form.fields) {
    if (!Object.hasOwn(SubmitOptions.properties, name)) continue;
    if (name in options)
      throw validationError([
        { loc: ['body', name], msg: 'was sent more than once', type: 'duplicate_field' },
      ]);
    // An empty field of an HTML form is one that was not filled in.
    if (value.trim() !== '') options[name] = optionOf(name, value.trim());
  }
  const error = check(validator, 'body', options);
  if (error) throw error;
  return { ...file, options: options as SubmitOptions };
}

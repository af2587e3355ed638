import { Compile } from 'typebox/compile';
import { pause } from '../../clock.ts';
import { NODE_COUNT } from '../../contract/boards/node-count.ts';
import type { Language } from '../../contract/designs/uploads.ts';
import type { FieldProblem } from '../../contract/failures.ts';
import { SubmitOptions } from '../../contract/jobs/jobs.ts';
import { apiError } from '../../errors/api.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { isArchive } from '../../toolchain/intake/archive.ts';
import {
  isProjectName,
  type Project,
  packProject,
  projectOfArchive,
  projectOfFiles,
} from '../../toolchain/intake/project.ts';
import { languageOfName } from '../../toolchain/languages/language.ts';
import type { ApiContext } from '../context.ts';
import type { Form } from '../edge/form.ts';
import { parseRequestJson } from '../edge/json.ts';
import { check, fromText, validationError } from '../edge/validation.ts';

/** An uploaded design: one file, or the archive of a project. */
export interface UploadedDesign {
  filename: string;
  source: Uint8Array;
  options: SubmitOptions;
  /** For a project: the number of its files, and the files that were left out. */
  files?: number;
  ignored?: string[];
  /** Set where it is known before the text is read. */
  language: Language | undefined;
}

type DesignFiles = Omit<UploadedDesign, 'options'>;

const validator = Compile(SubmitOptions);

/** Maximum characters of a project's name before `.zip`. */
const MAX_STEM_LENGTH = 200;

function optionOf(name: string, text: string): unknown {
  if (name !== 'ties' && name !== 'pins')
    return fromText((SubmitOptions.properties as Record<string, object>)[name], text);
  return parseRequestJson(text, ['body', name]);
}

const fileProblem = (msg: string, type: string): BenchError =>
  validationError([{ loc: ['body', 'file'], msg, type } satisfies FieldProblem]);

/** A project under the name of its upload. */
function projectUpload(project: Project, name: string): DesignFiles {
  const stem = name.replace(/\.[^.]*$/, '').slice(0, MAX_STEM_LENGTH) || 'project';
  const { files, ignored, language } = project;
  return {
    filename: `${stem}.zip`,
    source: packProject(project),
    files: files.length,
    ignored,
    language,
  };
}

/** The part `pcf`: a file of the project under any name. */
const pcfOf = (file: Form['files'][number]): Form['files'][number] => {
  const path = /\.pcf$/i.test(file.path) ? file.path : 'pins.pcf';
  return { ...file, path };
};

/** The design in the form: one file, an archive, or several files. */
async function filesOf(form: Form, maxBytes: number): Promise<DesignFiles> {
  const named = form.files.filter(({ field }) => field === 'file');
  const constraints = form.files.filter(({ field }) => field === 'pcf').map(pcfOf);
  const files = [...named, ...constraints];
  const [file] = named;
  if (!file) {
    if (form.fields.some(({ name }) => name === 'file'))
      throw fileProblem('must be sent as a file, with a file name', 'file_type');
    const others = form.files.map(({ field }) => `“${field.slice(0, 64)}”`).join(', ');
    throw fileProblem(others === '' ? 'is missing' : `is missing; a file was sent as ${others}`, 'missing');
  }
  if (constraints.length > 0 && named.length === 1 && isArchive(file.bytes))
    throw validationError([
      { loc: ['body', 'pcf'], msg: 'belongs in the archive', type: 'pcf_beside_archive' },
    ]);
  if (files.length > 1) {
    const bytes = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (bytes > maxBytes)
      throw apiError('file_too_large', { message: `The files together are larger than ${maxBytes} bytes.` });
    const sent = files.map(({ path, bytes }) => ({ path, contents: bytes }));
    const folder = /^([^/]+)\/./.exec(file.path)?.[1];
    const inFolder = folder !== undefined && files.every(({ path }) => path.startsWith(`${folder}/`));
    return projectUpload(await projectOfFiles(sent, maxBytes), inFolder ? `${folder}.` : file.filename);
  }
  if (file.filename === '') throw fileProblem('has no name', 'missing');
  if (file.bytes.length === 0) throw fileProblem('is empty', 'file_empty');
  if (file.bytes.length > maxBytes)
    throw apiError('file_too_large', { message: `The source file is larger than ${maxBytes} bytes.` });
  if (isArchive(file.bytes) || isProjectName(file.filename))
    return projectUpload(await projectOfArchive(file.bytes, maxBytes), file.filename);
  return { filename: file.filename, source: file.bytes, language: languageOfName(file.filename) };
}

/** The node that a job waits for; null where any node may take it. @throws validation_error. */
export function nodeOf(form: Form): number | null {
  const sent = form.fields.filter(({ name, value }) => name === 'fpga_id' && value.trim() !== '');
  const [first] = sent;
  const problem = (msg: string, type: string) => validationError([{ loc: ['body', 'fpga_id'], msg, type }]);
  if (sent.length > 1) throw problem('was sent more than once', 'duplicate_field');
  if (!first) return null;
  if (!/^\d$/.test(first.value.trim()) || Number(first.value) >= NODE_COUNT)
    throw problem(`must be the number of a node, 0 to ${NODE_COUNT - 1}`, 'value_error');
  return Number(first.value);
}

/**
 * Checks the form of a submit. Unknown fields are ignored.
 * @throws BenchError validation_error, file_too_large, and the refusals of a project.
 */
export async function designOf(form: Form, maxBytes: number): Promise<UploadedDesign> {
  const design = await filesOf(form, maxBytes);
  const options: Record<string, unknown> = {};
  for (const { name, value } of form.fields) {
    if (!Object.hasOwn(SubmitOptions.properties, name)) continue;
    if (name in options)
      throw validationError([
        { loc: ['body', name], msg: 'was sent more than once', type: 'duplicate_field' },
      ]);
    // An empty field of an HTML form is unset.
    if (value.trim() !== '') options[name] = optionOf(name, value.trim());
  }
  const error = check(validator, 'body', options);
  if (error) throw error;
  return { ...design, options: options as SubmitOptions };
}

/** Maximum wait for the first search for installed tools, milliseconds; later answers are immediate. */
const LANGUAGE_WAIT_MS = 1500;

/**
 * Refuses a design at once whose file name shows a language that this bench can't build.
 * @throws BenchError tool_missing, vhdl_unconfined.
 */
export async function requireBuildable(
  { toolchain, clock }: Pick<ApiContext, 'toolchain' | 'clock'>,
  { language }: UploadedDesign,
): Promise<void> {
  if (language === undefined || language === 'verilog' || language === 'systemverilog') return;
  const known = await Promise.race([toolchain.languages(), pause(clock, LANGUAGE_WAIT_MS)]);
  const refusal = known?.find((one) => one.language === language)?.refusal;
  if (refusal) throw refusal;
}

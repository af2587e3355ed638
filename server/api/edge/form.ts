import type { IncomingHttpHeaders } from 'node:http';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { MAX_PROJECT_FILES } from '../../contract/designs/project-files.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import { withMarks } from '../../text.ts';
import { validationError } from './validation.ts';

/** A whole file of a form. */
interface FormFile {
  field: string;
  /** Base name as the client sent it, without control characters; empty when it sent none. */
  filename: string;
  /** The name as the client sent it: a relative path for a file of a project. */
  path: string;
  bytes: Buffer;
}

/** A parsed form: every file and every text field, in order. */
export interface Form {
  files: FormFile[];
  fields: { name: string; value: string }[];
}

/** More than all options of a form. */
const MAX_FIELDS = 200;
/** Maximum parts of a form; its total size is limited earlier. */
const MAX_PARTS = MAX_PROJECT_FILES + MAX_FIELDS;
const MAX_FIELD_NAME_LENGTH = 256;
const MAX_FILENAME_LENGTH = 255;
/** Bytes of a form besides the file: names, boundaries and options. */
export const FORM_OVERHEAD = 64 * 1024;
/** Bytes parsed between two checks for an error. */
const STEP = 4096;

const problem = (msg: string, type: string) => validationError([{ loc: ['body'], msg, type }]);

/** The last part of a Unix or Windows path, on one line, with direction marks escaped. */
function baseName(name: string | undefined): string {
  const last = (name ?? '').split(/[\\/]/).at(-1) ?? '';
  const printable = withMarks(last)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return printable === '.' || printable === '..' ? '' : printable;
}

/**
 * Parses multipart/form-data (RFC 7578).
 * @throws BenchError validation_error when it is malformed, truncated or has too many parts.
 */
export function parseForm(headers: IncomingHttpHeaders, bytes: Buffer): Promise<Form> {
  return new Promise((resolve, refuse) => {
    let refused = false;
    const reject = (error: BenchError) => {
      refused = true;
      refuse(error);
    };
    const form: Form = { files: [], fields: [] };
    const fail = (msg: string, type = 'multipart_invalid') => reject(problem(msg, type));
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: headers as BusboyHeaders,
        preservePath: true,
        limits: {
          fieldNameSize: MAX_FIELD_NAME_LENGTH,
          fieldSize: bytes.length,
          fileSize: bytes.length,
          fields: MAX_FIELDS,
          parts: MAX_PARTS,
        },
      });
    } catch {
      fail('is not a form: its Content-Type names no boundary');
      return;
    }
    parser.on('file', (field, stream, filename) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => fail('is cut off in the middle of a file'));
      stream.on('end', () => {
        const name = baseName(filename);
        if (name.length > MAX_FILENAME_LENGTH)
          reject(
            validationError([
              {
                loc: ['body', field ?? ''],
                msg: `has a name of more than ${MAX_FILENAME_LENGTH} characters`,
                type: 'string_too_long',
              },
            ]),
          );
        form.files.push({
          field: field ?? '',
          filename: name,
          path: filename ?? '',
          bytes: Buffer.concat(chunks),
        });
      });
    });
    parser.on('field', (name, value, nameTruncated) => {
      if (nameTruncated || (name ?? '').length > MAX_FIELD_NAME_LENGTH)
        fail(`has a field name of more than ${MAX_FIELD_NAME_LENGTH} characters`);
      form.fields.push({ name: name ?? '', value });
    });
    parser.on('fieldsLimit', () => fail(`has more than ${MAX_FIELDS} fields besides its files`));
    parser.on('partsLimit', () =>
      fail(`has more than ${MAX_PARTS} parts; a project has at most ${MAX_PROJECT_FILES} files`),
    );
    parser.on('error', () => fail('is a broken or cut off form'));
    parser.on('finish', () => resolve(form));
    for (let at = 0; at < bytes.length && !refused; at += STEP) parser.write(bytes.subarray(at, at + STEP));
    if (!refused) parser.end();
  });
}

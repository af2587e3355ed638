import { Compile, type Validator } from 'typebox/compile';
import {
  type ImportedRegisterMap,
  type MapFormat,
  RegisterMap,
} from '../../contract/designs/register-map.ts';
import type { ReadMap } from '../../registermap/draft.ts';
import { formatOf, readMap, readMapValue, unknownFormat } from '../../registermap/formats.ts';
import { mapProblems } from '../../registermap/problems.ts';
import { parseRequestJson } from '../edge/json.ts';
import { check, validationError } from '../edge/validation.ts';

let validator: Validator | undefined;

/** Checks a value as a map in the API's own form. @throws validation_error */
function ownMap(value: unknown): ReadMap {
  validator ??= Compile(RegisterMap);
  const error = check(validator, 'body', value);
  if (error) throw error;
  // The validator has checked it.
  return { map: value as RegisterMap };
}

function read(text: string, format: MapFormat | null, name: string): ReadMap {
  switch (format) {
    case null:
      return unknownFormat();
    case 'json':
    case 'csr.json': {
      const value = parseRequestJson(text, ['body']);
      const other = readMapValue(value, name);
      if (other) return other;
      return format === 'json' ? ownMap(value) : unknownFormat();
    }
    default:
      return readMap(text, format, name);
  }
}

/**
 * Parses an uploaded map and lists what was skipped: checked JSON, or the text of a file.
 * @param name of a map whose file has none
 * @throws validation_error, with the lines of the file where it has lines
 */
export function parseUploadedMap(
  body: RegisterMap | string,
  format: MapFormat | undefined,
  name: string,
): ImportedRegisterMap {
  const sent: ReadMap = typeof body === 'string' ? read(body, format ?? formatOf(body), name) : { map: body };
  if ('problems' in sent) throw validationError(sent.problems);
  const problems = mapProblems(sent.map, ['body']);
  if (problems.length > 0) throw validationError(problems);
  const { map, warnings } = sent;
  return { ...map, ...(warnings ? { warnings } : {}) };
}

import type { Diagnostic } from '../../contract/diagnostics.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import type { Place } from './rtlil.ts';
import { PROJECT_FOLDER, reportedName } from './tool-paths.ts';

/** Longer lines are contents of memories. */
const LINE_LIMIT = 4096;

/** The lines of one module in RTLIL, without its first. */
function linesOf(rtlil: Uint8Array, module: string): string[] {
  const bytes = Buffer.from(rtlil.buffer, rtlil.byteOffset, rtlil.byteLength);
  const head = `\nmodule \\${module}\n`;
  const from = bytes.indexOf(head);
  if (from < 0) return [];
  const end = bytes.indexOf('\nend\n', from);
  return bytes
    .subarray(from + head.length, end < 0 ? undefined : end)
    .toString()
    .split('\n');
}

/** Where an attribute `src` says that something begins. */
function placeOf(line: string): Place | null {
  const [, file, row] = /^ *attribute \\src "([^":|]+):(\d+)\./.exec(line) ?? [];
  return file === undefined ? null : { file: reportedName(file), line: Number(row) };
}

/** The line of an `assign` to a signal behind a place. */
function lineOfAssign({ files }: PreparedDesign, { file, line = 1 }: Place, signal: string): Place | null {
  const text = files[PROJECT_FOLDER + file] ?? files[file ?? ''];
  if (typeof text !== 'string' || !/^\w+$/.test(signal)) return null;
  const assigns = new RegExp(`\\bassign\\s{1,20}${signal}\\b`);
  const at = text.split('\n').findIndex((one, n) => n + 1 >= line && assigns.test(one));
  return at < 0 ? null : { ...(file !== undefined && { file }), line: at + 1 };
}

/**
 * A warning for each input of a module to which the module itself gives a value. Synthesis refuses that where something reads
 * the input, and says nothing where nothing does.
 * @param rtlil before any pass has touched it
 */
export function drivenInputs(rtlil: Uint8Array, module: string, source: PreparedDesign): Diagnostic[] {
  const inputs = new Map<string, Place>();
  const driven = new Map<string, Place>();
  let place: Place | null = null;
  let process: Place | null = null;
  for (const long of linesOf(rtlil, module)) {
    const line = long.slice(0, LINE_LIMIT);
    if (line.startsWith('  attribute ')) place = placeOf(line) ?? place;
    else if (line.startsWith('  wire ')) {
      const [, id] = / input \d+ (\\\S+)$/.exec(line) ?? [];
      if (id !== undefined) inputs.set(id, place ?? {});
      place = null;
    } else if (line.startsWith('  process ')) process = place;
    else if (/^(?: {2}connect| {6}update) /.test(line)) {
      const [, left = ''] = /^ +\w+ (\{.*?\}|\S+)/.exec(line) ?? [];
      for (const [id] of left.matchAll(/\\\S+/g)) {
        const declared = inputs.get(id);
        if (declared === undefined || driven.has(id)) continue;
        const assigned = line.startsWith('  connect') ? lineOfAssign(source, declared, id.slice(1)) : process;
        driven.set(id, assigned ?? declared);
      }
    }
  }
  return [...driven].map(([id, where]) => ({
    severity: 'warning',
    code: 'design_invalid',
    message: `the input ${id.slice(1)} has its value from outside, and ${module} gives it one: make it an \`output\`, or give the value to a signal of another name`,
    ...inUpload(where, source),
    module,
    port: id.slice(1),
  }));
}

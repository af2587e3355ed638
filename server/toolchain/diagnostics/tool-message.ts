import type { Diagnostic } from '../../contract/diagnostics.ts';
import { reportedName } from '../tool-paths.ts';
import { inPlainWordsOfYosys } from './plain-words.ts';
import { signalName } from './signal-names.ts';

/** Name of a program in codes, `<name>_error` and `<name>_warning`. All nextpnr programs share one name. */
export const findingTool = (tool: string): string => tool.replace(/^nextpnr-.*/, 'nextpnr');

/** slang's messages about references to other files, with messages for the author. */
const FILE_REFERENCES: [RegExp, (named: Record<string, string | undefined>) => string][] = [
  [
    /^(?:failed to open file '(?<data>[^']*)'|'(?<header>[^']*)': No such file or directory)[.!]?$/,
    ({ data, header }) =>
      `${header === undefined ? '$readmemh of' : '`include'} "${header ?? data}": this file was not uploaded; upload it too, as a project of several files, and refer to it by its path in the project`,
  ],
  [
    /^unsupported system task '(?<task>\$(?:f(?:open|close|scanf|gets|getc|read|write|display|eof|seek)|writemem[hb]|system))\w*'\.?$/,
    ({ task }) => `${task} accesses the host: a design may access only files that are uploaded with it`,
  ],
];

/** A warning about a style of nearly every older core that works as intended. It stays in the log only. */
const NO_FINDING = /^Encountered `\w+' comment! Such legacy hot comments /;

/** What a message is about. The names of the groups are those of the fields. */
const CONCERNS: readonly RegExp[] = [
  // Yosys
  /^Module [`']\\?(?<module>[^']+)' referenced in module .* does not have a port named '\\?(?<port>[^']+)'/,
  /^Module [`']\\?(?<module>[^']+)'/,
  /^multiple conflicting drivers for (?<net>[^:]+)/,
  /^Wire (?<net>\S+(?: \[\d+\])?) is used but has no driver/,
  /^Identifier [`']\\?(?<net>[^']+)' is implicitly declared/,
  /^reg '\\?(?<net>[^']+)' is assigned in a continuous assignment/,
  /^no valid mapping found for memory (?<net>\S+)/,
  /^Output port (?<net>\S+) \(\S+\) is connected to constants/,
  /^(?<net>\S+): (?:a register|registers) /,
  /\bon signal [`']\\?(?<net>[^']+)'/,
  // GHDL
  /^latch infer\w+ for net "(?<net>[^"]+)"/,
  /^unit "(?<module>[^"]+)" not found/,
  /^cannot find entity or configuration (?<module>\w+)/,
  // nextpnr
  /\b(?:cell|net|arc \d+ of net) '(?<net>[^']+)'/,
];

/**
 * Parses a line of a tool's output as a finding; null when it is none. Forms: `gpio.v:12: ERROR: …`,
 * `gpio.v:12.3-12.9: Warning: …`, `Warning: … at gpio.v:12.3-12.9`, GHDL's `gpio.vhd:3:9: …`, nextpnr's `ERROR: …`.
 * @param uploaded reported names of the sources
 */
export function toolMessage(line: string, tool: string, uploaded: readonly string[]): Diagnostic | null {
  const text = line.trim();
  return tool === 'ghdl' ? ghdlMessage(text, uploaded) : message(text, tool, uploaded);
}

/** Finds a place in one of the sources within a message. */
function placeWithin(body: string, uploaded: readonly string[]): ReturnType<typeof place> | null {
  for (const filename of uploaded) {
    if (!body.includes(`${filename}:`)) continue;
    const own = new RegExp(`${filename.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+)(?:\\.(\\d+))?`).exec(
      body,
    );
    if (own) return { ...place(filename, own[1], own[2]), file: filename };
  }
  return null;
}

function message(text: string, tool: string, uploaded: readonly string[]): Diagnostic | null {
  const placed =
    /^(?:\.\/)?([^\s:]+):(\d+)(?:\.(\d+)(?:-\d+\.\d+)?)?: (ERROR|Warning): (.*)$/i.exec(text) ??
    // Places of a translated source are in the VHDL file.
    /^(?:\.\/)?([^\s:]+\.vhdl?):(\d+):(\d+):(?:(error|warning):)? ?(.*)$/i.exec(text);
  if (placed) {
    const [, file = '', row, column, severity = 'error', body = ''] = placed;
    return finding(tool, severity, body, place(file, row, column));
  }
  const bare = /^(ERROR|Warning): (.*)$/.exec(text);
  if (!bare) return null;
  const [, severity = '', body = ''] = bare;
  if (NO_FINDING.test(body)) return null;
  return finding(tool, severity, body, placeWithin(body, uploaded) ?? {});
}

/** Parses a line of GHDL, without its notes, and without the source lines and carets below a message. */
function ghdlMessage(text: string, uploaded: readonly string[]): Diagnostic | null {
  if (/:note: |:\(assertion note\): /.test(text)) return null;
  // An assertion of the design itself, with its own severity.
  const [, where, severity, body = ''] = /^(\S+:\d+:\d+:)\(assertion (\w+)\): (.*)$/.exec(text) ?? [];
  if (where !== undefined)
    return message(`${where}${severity === 'warning' ? 'warning:' : ''} ${body}`, 'ghdl', uploaded);
  const bare = /^(?:\S*ghdl\S*:)(?:(error|warning):)? ?(.*)$/.exec(text);
  if (!bare) return message(text, 'ghdl', uploaded);
  const [, kind = 'error', unplaced = ''] = bare;
  const [file, ...others] = uploaded;
  return finding('ghdl', kind, unplaced, file === undefined || others.length > 0 ? {} : { file });
}

/** Yosys's message for a combinational loop. The places are in the lines after it. */
export const LOGIC_LOOP = /^found logic loop\b/;

/** Place of a cell after LOGIC_LOOP: `cell $and$a.v:5$2 ($and) source: a.v:5.30-5.46`. */
export function cellPlace(line: string): Pick<Diagnostic, 'file' | 'line' | 'column'> | null {
  const [, file, row, column] = /^\s+cell \S+ \(\S+\) source: (\S+?):(\d+)\.(\d+)/.exec(line) ?? [];
  return file === undefined ? null : place(file, row, column);
}

/** Message for a reference to another file; null for any other message. */
export function fileReference(body: string): Diagnostic | null {
  for (const [pattern, say] of FILE_REFERENCES) {
    const { groups } = pattern.exec(body) ?? {};
    if (groups) return { severity: 'error', code: 'design_file_reference', message: say(groups) };
  }
  return null;
}

function finding(
  tool: string,
  severity: string,
  body: string,
  at: Pick<Diagnostic, 'file' | 'line' | 'column'>,
): Diagnostic {
  const isWarning = /^warning/i.test(severity);
  return {
    severity: isWarning ? 'warning' : 'error',
    code: `${tool}_${isWarning ? 'warning' : 'error'}`,
    message: (tool === 'yosys' ? inPlainWordsOfYosys(body) : body).replaceAll('\\$', '$'),
    ...at,
    ...concern(body, tool),
  };
}

function concern(body: string, tool: string): Pick<Diagnostic, 'module' | 'port' | 'net'> {
  for (const pattern of CONCERNS) {
    const { module, port, net } = pattern.exec(body)?.groups ?? {};
    if (module === undefined && net === undefined) continue;
    const signal = net === undefined ? '' : plainNet(net, tool);
    return {
      ...(module !== undefined && { module }),
      ...(port !== undefined && { port }),
      ...(signal !== '' && { net: signal }),
    };
  }
  return {};
}

/** The author's name of a signal; empty for a name of the tools. */
function plainNet(name: string, tool: string): string {
  if (tool === 'nextpnr') {
    const plain = signalName(name);
    return plain === 'logic' ? '' : plain;
  }
  return name
    .trim()
    .replaceAll('\\', '')
    .replace(/ (?=\[)/g, '')
    .replace(/^(?:wishbench_\w+\.)?(?:user\.user\.)?/, '');
}

/** A place in a file. Tools write 0 for an unknown line or column. */
function place(file: string, row?: string, column?: string): Pick<Diagnostic, 'file' | 'line' | 'column'> {
  return {
    file: reportedName(file),
    ...(Number(row) > 0 && { line: Number(row) }),
    ...(Number(row) > 0 && Number(column) > 0 && { column: Number(column) }),
  };
}

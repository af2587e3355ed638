/** What Yosys says about a source, in the words of somebody who wants to correct it. */
const PLAIN: [RegExp, (match: RegExpExecArray) => string][] = [
  [
    /^Can'?t? ?(?:not)? open (?:include )?file [`']([^`']*)['`](?: for \\?(\S+?))?\.?$/,
    ([, name, task]) =>
      `${task ?? '`include'} of ${name === 'file-not-in-upload' ? 'another file' : `"${name}"`}: a design is one file, and no other can be read`,
  ],
  [
    /^Can't resolve (?:function|task) name [`']\\?(\$(?:f(?:open|close|scanf|gets|getc|read|write|display|eof|seek)|writemem[hb]|system))\w*['`]\.?$/,
    ([, task]) => `${task} reaches for the host: a design is one file, and no other can be read or written`,
  ],
];

/**
 * A line of a tool's output as a message with its place in the source, or null when it is no message:
 * `gpio.v:12: ERROR: …`, `gpio.v:12.3-12.9: Warning: …`, `Warning: … See gpio.v:12`, GHDL's `gpio.vhd:3:9: …`.
 * @param filename the user's source as the tools know it; messages about generated files name those
 */
import type { Diagnostic } from '../../contract/diagnostics.ts';
export function parseToolLine(line: string, filename: string): Diagnostic | null {
  const text = line.trim();
  const placed =
    /^(?:\.\/)?([^\s:]+):(\d+)(?:\.\d+(?:-\d+\.\d+)?)?: (ERROR|Warning): (.*)$/i.exec(text) ??
    /^(?:\.\/)?([^\s:]+\.vhdl?):(\d+):\d+:(?:(error|warning):)? ?(.*)$/i.exec(text);
  if (placed) {
    const [, file = '', at, level = 'error', message = ''] = placed;
    return {
      ...severityOf(level),
      file: file.replace(/^.*\//, ''),
      ...(Number(at) > 0 && { line: Number(at) }),
      message: inPlainWords(message),
    };
  }
  const bare = /^(ERROR|Warning): (.*)$/.exec(text);
  if (!bare) return null;
  const [, level, message = ''] = bare;
  const place = new RegExp(`${filename.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+)`).exec(message);
  return {
    ...severityOf(level ?? ''),
    ...(place && { file: filename, line: Number(place[1]) }),
    message: inPlainWords(message),
  };
}

const severityOf = (level: string): Pick<Diagnostic, 'severity' | 'code'> =>
  /^warning/i.test(level)
    ? { severity: 'warning', code: 'yosys_warning' }
    : { severity: 'error', code: 'yosys_error' };

function inPlainWords(message: string): string {
  for (const [pattern, say] of PLAIN) {
    const match = pattern.exec(message);
    if (match) return say(match);
  }
  return message.replaceAll('\\$', '$');
}

/** `error: gpio.v:12: text`, as the job's log shows a message. */
export const diagnosticLine = ({ severity, file, line, message }: Diagnostic): string =>
  `${severity}: ${file ? `${file}:${line ? `${line}:` : ''} ` : ''}${message}`;

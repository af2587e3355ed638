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
      level: /^warning/i.test(level) ? 'warning' : 'error',
      file: file.replace(/^.*\//, ''),
      line: Number(at),
      message: inPlainWords(message),
    };
  }
  const bare = /^(ERROR|Warning): (.*)$/.exec(text);
  if (!bare) return null;
  const [, level, message = ''] = bare;
  const place = new RegExp(`${filename.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}:(\\d+)`).exec(message);
  return {
    level: level === 'ERROR' ? 'error' : 'warning',
    file: place ? filename : '',
    line: Number(place?.[1] ?? 0),
    message: inPlainWords(message),
  };
}

function inPlainWords(message: string): string {
  for (const [pattern, say] of PLAIN) {
    const match = pattern.exec(message);
    if (match) return say(match);
  }
  return message.replaceAll('\\$', '$');
}

/** `error: gpio.v:12: text`, as the job's log shows a message. */
export const diagnosticLine = ({ level, file, line, message }: Diagnostic): string =>
  `${level}: ${file ? `${file}:${line > 0 ? `${line}:` : ''} ` : ''}${message}`;

import type { BoardCheck, CheckStep } from '../contract/boards/board-checks.ts';

const MARKS: Record<CheckStep['state'], string> = {
  waiting: '…',
  running: '…',
  passed: '✓',
  warning: '!',
  failed: '✗',
  skipped: '–',
};

/** Text for a cell of a Markdown table: one line, with Markdown and HTML escaped. */
const cell = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_[\]<>|]/g, (character) => `\\${character}`);

const duration = (ms: number | null): string =>
  ms === null ? '' : ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;

/** A fence longer than any run of backticks in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/**
 * A check as a file to attach to an issue: Markdown for people, and JSON at its end for the report of capabilities
 * (resources/capabilities).
 */
export function reportText(check: BoardCheck): string {
  const { board, steps, system, versions, identity, drivers, log } = check;
  const facts: [string, string][] = [
    ['Board', `${board.name} (${board.definition ?? board.candidates.join(', ')})`],
    ['FPGA', check.part],
    ['Board’s identity', board.id],
    ['Programmed by', `${check.programmer}${board.mode ? `, ${board.mode}` : ''}`],
    ['Identity block', identity ? `build ${identity.build_id}, ${identity.clock_hz / 1e6} MHz` : 'not read'],
    ['System', `${system.platform} ${system.release} ${system.arch}`],
    ...drivers.map(({ name, value }): [string, string] => [name, value]),
    ...Object.entries(versions),
    ['Began', check.started_at],
    ['Ended', check.ended_at ?? 'still running'],
  ];
  const rows = steps.map((step) =>
    [
      MARKS[step.state],
      step.title,
      step.expected,
      [step.happened, step.failure && `(${step.failure.error}) ${step.failure.remedy}`]
        .filter((text) => text)
        .join(' '),
      duration(step.milliseconds),
    ].map(cell),
  );
  return [
    `# Board check: ${cell(board.name)}, ${check.state}`,
    '',
    '| | |',
    '|---|---|',
    ...facts.map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`),
    '',
    '## Steps',
    '',
    '| | Step | What should happen | What happened | Took |',
    '|---|---|---|---|---:|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
    '## Log of the last build or reset',
    '',
    fenced(log.join('\n'), ''),
    '',
    '## Data',
    '',
    // The log is above already.
    fenced(JSON.stringify({ ...check, log: [] }, null, 1), 'json'),
    '',
  ].join('\n');
}

/** The data of a report: the JSON at its end as text, or null where there is none. */
export function reportData(text: string): string | null {
  const [, , data] = /\n## Data\n\n(`{3,})json\n([\s\S]*)\n\1\n?$/.exec(text) ?? [];
  return data ?? null;
}

import { ACCESS_ROWS, type AccessRow, answerTo, ROLES, type Role } from '../../server/contract/access.ts';
import { addressOf } from '../../server/contract/endpoints.ts';
import { FPGA_STATES, type FpgaState } from '../../server/contract/nodes/nodes.ts';
import { byMethod, code, table } from './markdown.ts';

function answersOf(row: AccessRow, role: Role): string {
  const byAnswer = new Map<string, FpgaState[]>();
  for (const state of FPGA_STATES) {
    const answer = answerTo(row, role, state);
    const text = answer === null ? 'yes' : code(answer);
    byAnswer.set(text, [...(byAnswer.get(text) ?? []), state]);
  }
  if (byAnswer.size === 1) return [...byAnswer.keys()].join('');
  // The answer of most states is the rule; each other answer names its states.
  const [rule, ...rest] = [...byAnswer].sort(([, a], [, b]) => b.length - a.length);
  const others = rest.map(([text, states]) => `${states.join(', ')}: ${text}`);
  return [...others, `else ${rule?.[0] ?? ''}`].join('; ');
}

/** The table of docs/security.md: the answer to each kind of caller while keys are enforced, one row per pattern of answers. */
export function accessTable(): string {
  const groups = new Map<string, { answers: string[]; routes: string[] }>();
  for (const row of ACCESS_ROWS) {
    const answers = ROLES.map((role) => answersOf(row, role));
    const group = groups.get(answers.join('|')) ?? { answers, routes: [] };
    group.routes.push(`${addressOf(row.id)}${row.asks ? `?${row.asks}=1` : ''}`);
    groups.set(answers.join('|'), group);
  }
  return table(
    ['Routes', ...ROLES],
    [...groups.values()].map(({ answers, routes }) => [byMethod(routes), ...answers]),
  );
}

import { ACCESS_ROWS, type AccessRow, answerTo, ROLES, type Role } from '../../server/contract/access.ts';
import { addressOf } from '../../server/contract/endpoints.ts';
import { FPGA_STATES, type FpgaState } from '../../server/contract/nodes/nodes.ts';
import { code, table } from './markdown.ts';

function answersOf(row: AccessRow, role: Role): string {
  const byAnswer = new Map<string, FpgaState[]>();
  for (const state of FPGA_STATES) {
    const answer = answerTo(row, role, state);
    const text = answer === null ? 'yes' : code(answer);
    byAnswer.set(text, [...(byAnswer.get(text) ?? []), state]);
  }
  if (byAnswer.size === 1) return [...byAnswer.keys()].join('');
  // The most frequent answer of the states is the rule; other answers follow with their states.
  const [rule, ...rest] = [...byAnswer].sort(([, a], [, b]) => b.length - a.length);
  const others = rest.map(([text, states]) => `${states.join(', ')}: ${text}`);
  return [...others, `else ${rule?.[0] ?? ''}`].join('; ');
}

/** The table of docs/security.md: the answer of every route to every caller while keys are enforced. */
export const accessTable = (): string =>
  table(
    ['Route', ...ROLES],
    ACCESS_ROWS.map((row) => [
      code(`${addressOf(row.id)}${row.asks ? `?${row.asks}=1` : ''}`),
      ...ROLES.map((role) => answersOf(row, role)),
    ]),
  );

import { describe, expect, test } from 'vitest';
import type { CandidateModule } from '../../../../../server/toolchain/slave/candidate.ts';
import { matchDesign } from '../../../../../server/toolchain/slave/match.ts';
import { moduleOf, port } from '../../../../support/toolchain/slave/dialects.ts';
import { opencores, outcomeOf } from '../../../../support/toolchain/slave/matched.ts';

describe('which module', () => {
  const named = (name: string, instantiates: string[] = []): CandidateModule => ({
    ...moduleOf(opencores),
    name,
    instantiates,
  });
  const other = (name: string, instantiates: string[] = []): CandidateModule => ({
    name,
    instantiates,
    ports: [port('a')],
  });

  test.each([
    ['one', [named('a')], 'a'],
    ['a slave with a slave inside', [named('a'), named('b', ['a'])], 'b'],
    ['one far inside', [named('a'), other('x', ['a']), named('b', ['x'])], 'b'],
    ['a slave inside another thing', [named('a'), other('soc', ['a'])], 'a'],
    ['instances of itself', [named('a', ['a'])], 'a'],
  ] as [string, CandidateModule[], string][])('%s', (_, modules, chosen) => {
    expect(outcomeOf(modules)).toMatchObject({ kind: 'matched', design: { module: chosen } });
  });

  test('none, two, and the field top', () => {
    expect(outcomeOf([])).toMatchObject({ kind: 'none' });
    expect(outcomeOf([other('a')])).toMatchObject({ kind: 'none' });
    const two = [named('a'), named('b'), other('x', ['a', 'b'])];
    expect(outcomeOf(two)).toEqual({ kind: 'ambiguous', candidates: ['a', 'b'] });
    expect(outcomeOf(two, { top: 'b' })).toMatchObject({ kind: 'matched', design: { module: 'b' } });
    expect(outcomeOf(two, { top: 'B' })).toMatchObject({ kind: 'matched', design: { module: 'b' } });
    expect(outcomeOf(two, { top: 'x' })).toMatchObject({ kind: 'top is no slave', top: 'x' });
    expect(outcomeOf(two, { top: 'c' })).toMatchObject({ kind: 'unknown top', modules: ['a', 'b', 'x'] });
  });

  test.each([
    ['two slave ports', [], 'several'],
    ['a master', ['cyc_o', 'stb_o', 'ack_i'], 'master'],
  ])('a submodule of one with %s is not the design', (_, names, kind) => {
    const owner: CandidateModule = {
      name: 'soc',
      instantiates: ['wrap'],
      ports:
        kind === 'several'
          ? ['a_', 'b_'].flatMap((prefix) =>
              ['cyc_i', 'stb_i', 'we_i', 'adr_i[7:0]', 'dat_i[31:0]']
                .map((name) => port(prefix + name))
                .concat(
                  ['ack_o', 'dat_o[31:0]'].map((name) => ({ ...port(prefix + name), direction: 'output' })),
                ),
            )
          : names.map((name) => ({ ...port(name), direction: name.endsWith('o') ? 'output' : 'input' })),
    };
    const modules = [named('part'), other('wrap', ['part']), owner];
    const { outcome, problems } = matchDesign(modules);
    expect(outcome).toMatchObject({ kind: 'none', nearest: { module: 'soc', problem: { bus: { kind } } } });
    expect(problems.get('soc')?.text).toMatch(/; top=part builds only part, a part of it$/);
    expect(outcomeOf(modules, { top: 'part' })).toMatchObject({
      kind: 'matched',
      design: { module: 'part' },
    });
    // Another slave next to it is the design.
    expect(outcomeOf([...modules, named('free')])).toMatchObject({ design: { module: 'free' } });
  });
});

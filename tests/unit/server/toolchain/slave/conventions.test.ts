import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchDesign } from '../../../../../server/toolchain/slave/match.ts';
import { readingsOf } from '../../../../../server/toolchain/slave/port-names.ts';
import type { Role } from '../../../../../server/toolchain/slave/roles.ts';
import {
  ACTIVE_LOW,
  DIALECTS,
  moduleOf,
  port,
  SURVEYED,
} from '../../../../support/toolchain/slave/dialects.ts';
import {
  contract,
  matched,
  nameOf,
  opencores,
  problemOf,
} from '../../../../support/toolchain/slave/matched.ts';

describe('conventions', () => {
  test.each(DIALECTS)('$title', ({ ports, addressing, resetActiveLow }) => {
    const design = matched(moduleOf({ ports }));
    expect(design.roles).toEqual(
      Object.fromEntries(Object.entries(ports).map(([role, text]) => [role, nameOf(text)])),
    );
    expect(design).toMatchObject({
      addressing,
      resetActiveLow: resetActiveLow ?? false,
      handshake: ports.stall ? 'pipelined' : 'classic',
      dataWidth: port(ports.dat_w!).width,
      addressWidth: port(ports.adr!).width,
      ties: [],
      open: [],
    });
  });

  const surveyed = Object.entries(SURVEYED).flatMap(([role, names]) =>
    names.map((name) => [role as Role, name] as const),
  );
  test.each(surveyed)('%s as %s, whatever the names of the others', (role, name) => {
    for (const base of [contract, opencores, DIALECTS[3]!, DIALECTS[4]!, DIALECTS[5]!]) {
      const ports = { ...base.ports };
      // Optional outputs count only with the prefix of the bus: an err elsewhere is a status.
      if (['stall', 'err', 'rty'].includes(role)) {
        const prefix = (text: string) => readingsOf(nameOf(text))[0]!.prefix;
        if (prefix(name) !== prefix(ports.ack!)) continue;
      }
      const range = /\[.*/.exec(ports[role] ?? '')?.[0] ?? '';
      ports[role] = name + range;
      const design = matched(moduleOf({ ports }));
      expect(design.roles[role]).toBe(name);
      expect(Object.keys(design.roles)).toHaveLength(Object.keys(ports).length);
      if (role === 'rst') expect(design.resetActiveLow).toBe(ACTIVE_LOW.includes(name));
    }
  });
});

describe('optional signals', () => {
  test.each([['rst'], ['cyc'], ['stb'], ['we'], ['adr'], ['dat_w'], ['sel'], ['dat_r'], ['clk'], ['err']] as [
    Role,
  ][])('a slave may lack %s', (role) => {
    const { [role]: _, ...ports } = opencores.ports;
    expect(Object.keys(matched(moduleOf({ ports })).roles).sort()).toEqual(Object.keys(ports).sort());
  });

  test.each([
    [['ack'], 'it has no acknowledge output (wb_ack)'],
    [['stb', 'cyc'], 'it has no strobe or cycle input (wb_stb, wb_cyc)'],
    [
      ['ack', 'stb', 'cyc'],
      'it has no strobe or cycle input (wb_stb, wb_cyc) and no acknowledge output (wb_ack)',
    ],
    [['dat_w', 'dat_r'], 'it has neither write data (wb_dat_w) nor read data (wb_dat_r)'],
  ] as [Role[], string][])('without %s it is no slave', (roles, problem) => {
    const ports = Object.fromEntries(
      Object.entries(contract.ports).filter(([role]) => !roles.includes(role as Role)),
    );
    expect(problemOf(moduleOf({ ports }))).toBe(problem);
  });

  test('a master is no slave, detected by its port directions', () => {
    const master = moduleOf(opencores);
    for (const one of master.ports) one.direction = one.direction === 'input' ? 'output' : 'input';
    expect(problemOf(master)).toContain('those of a master');
  });

  test.each([
    ['wb_dat_i[63:0]', 'dat_w', /wb_dat_i is 64 bits wide; the maximum is 32/],
    ['wb_dat_o[32:0]', 'dat_r', /wb_dat_o is 33 bits wide/],
    ['wb_ack_o[1:0]', 'ack', /2 bits wide; it must have one bit/],
  ] as [string, Role, RegExp][])('%s is refused', (text, role, problem) => {
    expect(problemOf(moduleOf({ ports: { ...opencores.ports, [role]: text } }))).toMatch(problem);
  });
});

test('data ports may be 1 to 32 bits wide, each of any width', () => {
  const width = fc.integer({ min: 1, max: 32 });
  fc.assert(
    fc.property(width, width, (written, read) => {
      const ports = {
        ...opencores.ports,
        dat_w: `wb_dat_i[${written - 1}:0]`,
        dat_r: `wb_dat_o[${read - 1}:0]`,
      };
      const design = matched(moduleOf({ ports }));
      expect(design.roles).toMatchObject({ dat_w: 'wb_dat_i', dat_r: 'wb_dat_o' });
      expect(design.dataWidth).toBe(Math.max(written, read));
      if (design.dataWidth < 32) expect(design.addressing).toBe('word');
    }),
  );
});

test('the faulty port is named', () => {
  const problem = (role: Role, text: string) =>
    matchDesign([moduleOf({ ports: { ...opencores.ports, [role]: text } })])
      .problems.values()
      .next().value;
  expect(problem('dat_w', 'wb_dat_i[63:0]')).toMatchObject({ port: 'wb_dat_i' });
  expect(problem('ack', 'wb_ack_o[1:0]')).toMatchObject({ port: 'wb_ack_o' });
  expect(problem('adr', 'wb_adr_i[64:0]')).toMatchObject({ port: 'wb_adr_i' });
});

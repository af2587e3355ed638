import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Port } from '../../../../../server/contract/designs/uploads.ts';
import { matchDesign } from '../../../../../server/toolchain/slave/match.ts';
import { nameTokens, readingsOf } from '../../../../../server/toolchain/slave/port-names.ts';
import type { Role } from '../../../../../server/toolchain/slave/roles.ts';
import { directionOf } from '../../../../support/toolchain/slave/dialects.ts';
import { matched } from '../../../../support/toolchain/slave/matched.ts';

describe('properties', () => {
  const PREFIXES = ['', 'wb_', 'wbs_', 's_', 'wishbone_', 'slave_', 'bus_', 'gpio_wb_', 'uart0_', 'my_core_'];
  const STEMS: Record<Role, string[]> = {
    clk: ['clk', 'clock'],
    rst: ['rst', 'reset', 'rst_n', 'resetn', 'nrst'],
    cyc: ['cyc'],
    stb: ['stb'],
    we: ['we'],
    adr: ['adr', 'addr', 'address'],
    dat_w: ['dat', 'data', 'wdata', 'dat_w', 'dat_mosi', 'wdat', 'data_w'],
    sel: ['sel'],
    dat_r: ['dat', 'data', 'rdata', 'dat_r', 'dat_miso', 'rdt', 'data_r'],
    ack: ['ack'],
    stall: ['stall'],
    err: ['err'],
    rty: ['rty'],
  };
  const OPTIONAL: Role[] = ['rst', 'cyc', 'sel', 'we', 'adr', 'stall', 'err', 'rty'];
  const GENERIC = ['', 'wb_', 'wbs_', 's_', 'bus_'];

  const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const styles = fc.constantFrom(
    (name: string) => name,
    (name: string) => name.toUpperCase(),
    camel,
    (name: string) =>
      name.replace(/(\w+?)_(.*)/, (_, head: string, tail: string) => `${head}_${tail.toUpperCase()}`),
  );
  const marks = fc.constantFrom<(name: string, output: boolean) => string>(
    (name) => name,
    (name, output) => `${name}_${output ? 'o' : 'i'}`,
    (name, output) => `${output ? 'o' : 'i'}_${name}`,
    (name, output) => `${name}_${output ? 'out' : 'in'}`,
    (name) => `io_${name}`,
  );

  const slaves = fc
    .record({
      prefix: fc.constantFrom(...PREFIXES),
      missing: fc.uniqueArray(fc.constantFrom(...OPTIONAL)),
      stems: fc.record(
        Object.fromEntries(
          Object.entries(STEMS).map(([role, names]) => [role, fc.constantFrom(...names)]),
        ) as Record<Role, fc.Arbitrary<string>>,
      ),
      // With a name of its own, every signal of a bus has it; otherwise each may have another.
      others: fc.record(
        Object.fromEntries(Object.keys(STEMS).map((role) => [role, fc.constantFrom(...GENERIC)])) as Record<
          Role,
          fc.Arbitrary<string>
        >,
      ),
      mixed: fc.boolean(),
      // The mark of the direction varies from port to port, the style of writing does not.
      marks: fc.record(
        Object.fromEntries(Object.keys(STEMS).map((role) => [role, marks])) as Record<Role, typeof marks>,
      ),
      style: styles,
      width: fc.integer({ min: 1, max: 32 }),
      shuffle: fc.infiniteStream(fc.nat()),
    })
    .map(({ prefix, missing, stems, others, mixed, marks: mark, style, width, shuffle }) => {
      const ports: [Role, Port][] = [];
      for (const role of Object.keys(STEMS) as Role[]) {
        if (missing.includes(role)) continue;
        const own = ['clk', 'rst'].includes(role)
          ? GENERIC.includes(prefix)
            ? prefix
            : ''
          : mixed && GENERIC.includes(prefix) && !['ack', 'stb', 'stall', 'err', 'rty'].includes(role)
            ? others[role]
            : prefix;
        const output = directionOf(role) === 'output';
        const name = style(mark[role](own + stems[role], output));
        const bits = ['dat_w', 'dat_r'].includes(role)
          ? width
          : role === 'adr'
            ? 12
            : role === 'sel'
              ? width / 8
              : 1;
        ports.push([role, { name, direction: output ? 'output' : 'input', width: bits, offset: 0 }]);
      }
      const order = ports
        .map((one) => [shuffle.next().value as number, one] as const)
        .sort((a, b) => a[0] - b[0]);
      return {
        ports: order.map(([, one]) => one),
        prefix,
        activeLow: /n/.test(stems.rst.replace('reset', '')),
      };
    })
    // Two ports of one name are no module.
    .filter(({ ports }) => new Set(ports.map(([, { name }]) => name)).size === ports.length);

  test('every spelling of a slave is matched to its roles', () => {
    fc.assert(
      fc.property(slaves, ({ ports, activeLow }) => {
        const design = matched({ name: 'm', ports: ports.map(([, one]) => one) });
        expect(design.roles).toEqual(Object.fromEntries(ports.map(([role, { name }]) => [role, name])));
        if (design.roles['rst']) expect(design.resetActiveLow).toBe(activeLow);
        expect(design.ties).toEqual([]);
        expect(design.open).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  const words =
    'wb wbs i o io in out clk rst n ni stb cyc ack we adr dat data w r sel stall err rty cti x 0 a q'.split(
      ' ',
    );
  const anyName = fc.oneof(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_')),
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  );
  const anyPort: fc.Arbitrary<Port> = fc.record({
    name: anyName,
    direction: fc.constantFrom('input' as const, 'output' as const, 'inout' as const),
    width: fc.oneof(fc.constantFrom(1, 1, 8, 16, 32), fc.integer({ min: 0, max: 200 })),
    offset: fc.integer({ min: -2, max: 40 }),
  });

  test('arbitrary ports yield an outcome, with every port used once', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            name: fc.constantFrom('a', 'b', 'c', 'd'),
            ports: fc.uniqueArray(anyPort, { selector: ({ name }) => name, maxLength: 25 }),
            instantiates: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 2 }),
          }),
          { maxLength: 3 },
        ),
        fc.record(
          {
            top: fc.constantFrom('a', 'A', 'zz', 'constructor'),
            addressing: fc.constantFrom('byte' as const, 'word' as const),
            ties: fc.dictionary(anyName, fc.constantFrom(0 as const, 1 as const), { maxKeys: 2 }),
          },
          { requiredKeys: [] },
        ),
        (modules, options) => {
          const { outcome, problems } = matchDesign(modules, options);
          for (const { name } of modules) expect(problems.has(name)).toBe(true);
          if (outcome.kind !== 'matched') return;
          const { roles, ties, open, ports } = outcome.design;
          const used = [...Object.values(roles), ...ties.map((tie) => tie.port), ...open];
          expect(used.sort()).toEqual(ports.map(({ name }) => name).sort());
          for (const { name, direction } of ports)
            expect(open.includes(name)).toBe(direction !== 'input' && !Object.values(roles).includes(name));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a name is parsed alike in any case and with any underscores', () => {
    expect(nameTokens('wbCycI')).toEqual(['wb', 'cyc', 'i']);
    expect(nameTokens('io_wbs_DAT_MISO')).toEqual(['io', 'wbs', 'dat', 'miso']);
    for (const name of ['wb_cyc_i', 'WB_CYC_I', 'wbCycI', 'wb_CYC', '_wb__cyc_', 'WBCYCI', 'wbcyc'])
      expect(readingsOf(name)[0]).toEqual({ stem: 'cyc', prefix: 'wb', weak: false });
    for (const name of ['track', 'black', 'stack', 'cycles', 'sel_out_of_range', 'webcam', 'client', 'burst'])
      expect(readingsOf(name).filter(({ weak }) => !weak)).toEqual([]);
  });
});

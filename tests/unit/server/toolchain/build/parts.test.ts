import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../../server/boards/catalogue/index.ts';
import { buildId } from '../../../../../server/toolchain/build/build-id.ts';
import { placeAndRouteProgress, synthesisProgress } from '../../../../../server/toolchain/build/progress.ts';
import { cellCounts, readTiming } from '../../../../../server/toolchain/build/statistics.ts';
import { signalName } from '../../../../../server/toolchain/diagnostics/signal-names.ts';
import { logText } from '../../../../../server/toolchain/diagnostics/text.ts';
import { toolMessage } from '../../../../../server/toolchain/diagnostics/tool-message.ts';

const board = loadCatalogue().get('virtual-hx8k')!;

describe('the build id', () => {
  const inputs = () => ({
    request: { source: Buffer.from('module m; endmodule'), filename: 'm.v', board, options: {} },
    digest: 'd0',
    constraints: 'set_io clk J3\n',
    gateware: 'aa',
    ahead: 'bb',
    tools: { engine: 'embedded', yosys: 'Yosys 0.55' },
  });
  const original = buildId(inputs());

  test('is 64 hex digits and the same for the same inputs', () => {
    expect(original).toMatch(/^[0-9a-f]{64}$/);
    expect(buildId(inputs())).toBe(original);
    const reordered = { ...inputs(), tools: { yosys: 'Yosys 0.55', engine: 'embedded' } };
    expect(buildId(reordered)).toBe(original);
  });

  test('treats an absent and an undefined option alike', () => {
    const { request, ...rest } = inputs();
    const options = { top: undefined, ties: {} } as never;
    expect(buildId({ request: { ...request, options }, ...rest })).toBe(original);
  });

  test.each([
    ['source', (i: ReturnType<typeof inputs>) => ({ ...i, digest: 'd1' })],
    ['file name', (i: ReturnType<typeof inputs>) => ({ ...i, request: { ...i.request, filename: 'm.sv' } })],
    ['top', (i: ReturnType<typeof inputs>) => ({ ...i, request: { ...i.request, options: { top: 'm' } } })],
    [
      'timing target',
      (i: ReturnType<typeof inputs>) => ({
        ...i,
        request: { ...i.request, options: { timing_target_mhz: 13 } },
      }),
    ],
    [
      'addressing',
      (i: ReturnType<typeof inputs>) => ({
        ...i,
        request: { ...i.request, options: { addressing: 'byte' as const } },
      }),
    ],
    [
      'ties',
      (i: ReturnType<typeof inputs>) => ({
        ...i,
        request: { ...i.request, options: { ties: { en: 1 as const } } },
      }),
    ],
    [
      'board',
      (i: ReturnType<typeof inputs>) => ({
        ...i,
        request: { ...i.request, board: { ...board, id: 'other' } },
      }),
    ],
    [
      'clock',
      (i: ReturnType<typeof inputs>) => ({
        ...i,
        request: { ...i.request, board: { ...board, clock: { hz: 1e8, pin: 'J3' } } },
      }),
    ],
    ['constraints', (i: ReturnType<typeof inputs>) => ({ ...i, constraints: '' })],
    ['gateware', (i: ReturnType<typeof inputs>) => ({ ...i, gateware: 'ab' })],
    ['gates made ahead', (i: ReturnType<typeof inputs>) => ({ ...i, ahead: null })],
    ['tools', (i: ReturnType<typeof inputs>) => ({ ...i, tools: { ...i.tools, yosys: 'Yosys 0.56' } })],
  ])('changes with the %s', (_, change) => {
    expect(buildId(change(inputs()))).not.toBe(original);
  });
});

describe('lines of the tools', () => {
  test.each([
    ['gpio.v:12: ERROR: syntax error', 'error: gpio.v:12: syntax error'],
    [
      'gpio.v:12.3-12.9: Warning: Identifier `\\x` is implicitly declared.',
      'warning: gpio.v:12: Identifier `\\x` is implicitly declared.',
    ],
    ['ERROR: Module `\\z` not found!', 'error: Module `\\z` not found!'],
    ['Info: Packing constants..', 'Packing constants..'],
    ['Warning: No clocks found', 'warning: No clocks found'],
    ['3.1. Executing HIERARCHY pass.', '3.1. Executing HIERARCHY pass.'],
  ])('%s', (line, text) => {
    expect(logText(line, toolMessage(line, 'yosys', ['gpio.v']))).toBe(text);
  });
});

describe('names of signals', () => {
  test.each([
    ['user.user.count_SB_DFF_Q_DFFLC', 'count'],
    ['user.user.count[3]', 'count[3]'],
    ['user.user.u_fifo.level_SB_LUT4_I1_O_SB_LUT4_O_2_LC', 'u_fifo.level'],
    ['user.user.count_SB_LUT4_I1_O[1]', 'count'],
    ['user.wb_ack_SB_LUT4_O_LC', 'wrapper: wb_ack'],
    ['bridge.tick_SB_LUT4_I1_LC', 'base SoC: bridge.tick'],
    ['clk$SB_IO_IN_$glb_clk', 'base SoC: clk'],
    ['$gbuf_user.user.en_$glb_ce', 'en'],
    ['user.user.mem.0.0_RAM', 'mem.0.0'],
    ['user.user.q_TRELLIS_FF_Q', 'q'],
    ['user.user.q_DFFR_Q', 'q'],
    ['$abc$1234$auto$blifparse.cc:492:parse_blif$5678_LC', 'logic'],
    ['', 'logic'],
  ])('%s is %s', (name, plain) => {
    expect(signalName(name)).toBe(plain);
  });
});

describe('progress', () => {
  test('of synthesis is monotonic', () => {
    const progress = synthesisProgress();
    const passes = [
      'HIERARCHY pass',
      'PROC pass',
      'FLATTEN pass',
      'PROC pass',
      'ABC9 pass',
      'FSM pass',
      'JSON backend',
    ];
    const steps = passes.map((name) => progress(`3.1. Executing ${name} (…).`)?.fraction);
    const reached = steps.filter((step) => step !== undefined);
    expect(reached).toEqual([...reached].sort((a, b) => a - b));
    expect(reached.at(-1)).toBeGreaterThan(0.9);
    expect(progress('nothing of it')).toBeNull();
  });

  test('distinguishes placing from routing and follows the remaining arcs', () => {
    const progress = placeAndRouteProgress();
    expect(progress('Info: Packing constants..').stage).toBe('place');
    expect(progress('Info: SA placement time 0.18s').fraction).toBeCloseTo(0.98);
    expect(progress('Info: Routing..')).toEqual({ stage: 'route', fraction: 0 });
    progress('Info: Routing 1000 arcs.');
    const half = progress(
      'Info:       1000 |       80        887 |   80   887 |       500|       0.17       0.17|',
    );
    expect(half.fraction).toBeCloseTo(0.475);
    expect(progress('Info: Router1 time 0.25s').fraction).toBe(1);
  });
});

describe('the report', () => {
  test('parses Yosys’s cell counts, with text around the JSON', () => {
    const text =
      '\n12. Printing statistics.\n\n{\n   "creator": "Yosys",\n   "design": { "num_cells_by_type": { "SB_LUT4": 7 } }\n}\n';
    expect(cellCounts(Buffer.from(text))).toEqual({ SB_LUT4: 7 });
  });

  test('takes the slowest clock and its path', () => {
    const report = {
      utilization: { ICESTORM_LC: { used: 10, available: 7680 } },
      fmax: { fast: { achieved: 200, constraint: 12 }, slow: { achieved: 11.504, constraint: 12 } },
      critical_paths: [
        { from: 'posedge fast', to: 'posedge fast', path: [] },
        {
          from: 'posedge slow',
          to: 'posedge slow',
          path: [
            {
              type: 'clk-to-q',
              delay: 0.54,
              from: { cell: 'user.user.a_SB_DFF_Q_DFFLC' },
              to: { cell: 'user.user.a_SB_DFF_Q_DFFLC' },
            },
            {
              type: 'routing',
              delay: 0.5876,
              net: 'user.user.a',
              from: { cell: 'x' },
              to: { cell: 'user.user.b_SB_DFF_Q_DFFLC' },
            },
          ],
        },
      ],
    };
    const { timing, part } = readTiming(Buffer.from(JSON.stringify(report)), 12);
    expect(part['ICESTORM_LC']?.used).toBe(10);
    expect(timing).toEqual({
      fmax_mhz: 11.5,
      target_mhz: 12,
      met: false,
      critical_path: [
        { from: 'a', to: 'a', delay_ns: 0.54, type: 'clk-to-q' },
        { from: 'a', to: 'b', delay_ns: 0.588, type: 'routing' },
      ],
    });
  });

  test.each([
    ['no JSON', 'Segmentation fault'],
    ['another form', '{"fmax": {"clk": 12}}'],
    [
      'a path without delays',
      '{"critical_paths": [{"from": "a", "to": "b", "path": [{"type": "routing"}]}]}',
    ],
  ])('is refused with a reason when nextpnr gives %s', (_, text) => {
    expect(() => readTiming(Buffer.from(text), 12)).toThrow('The report of nextpnr could not be read.');
  });

  test.each([
    ['no JSON', 'stat'],
    ['counts that are none', '{\n "design": { "num_cells_by_type": { "SB_LUT4": "many" } }\n}'],
  ])('is refused with a reason when Yosys gives %s', (_, text) => {
    expect(() => cellCounts(Buffer.from(text))).toThrow('The report of Yosys could not be read.');
  });

  test('has no Fmax for a design without registers', () => {
    const { timing } = readTiming(Buffer.from('{}'), 12);
    expect(timing).toEqual({ fmax_mhz: null, target_mhz: 12, met: true, critical_path: [] });
  });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constraintsOf, loadCatalogue } from '../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
} from '../../server/toolchain/build/gateware.ts';
import { wrapDesign } from '../../server/toolchain/build/wrap/wrap.ts';
import { createToolchain } from '../../server/toolchain/index.ts';

/** A design in one file of Verilog. */
export interface BenchDesign {
  filename: string;
  source: string;
}

export const echoDesign = (): BenchDesign => ({
  filename: 'echo.v',
  source: readFileSync(resourcePath('examples', 'echo.v'), 'utf8'),
});

/** Seconds that the installed tools take for the echo example, three times; null where one is absent. */
export async function measureNative(): Promise<number[] | null> {
  const native = await prepareNative(echoDesign());
  try {
    return native.isInstalled() ? [native.build(), native.build(), native.build()] : null;
  } finally {
    native.dispose();
  }
}

/**
 * Builds of a design inside the base SoC with the installed yosys, nextpnr-ice40 and icepack: the same sources,
 * constraints and target as the bench builds.
 */
export async function prepareNative({ filename, source }: BenchDesign) {
  const board = (await loadCatalogue()).get('virtual-hx8k');
  if (!board) throw new Error('The catalogue has no virtual-hx8k.');
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-native-'));
  const toolchain = createToolchain({ dataDir: path.join(folder, 'data'), logger: silentLogger });
  const request = { source: Buffer.from(source), filename, board, options: {} };
  const { matched } = await toolchain.scan(request, { log: () => {}, progress: () => {} });
  await toolchain.close();
  if (!matched) throw new Error(`${filename} has no Wishbone slave.`);
  const gateware = await gatewareSources();
  const files: Record<string, string> = {
    ...gateware,
    [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'.repeat(64)),
    'user_wrapper.v': wrapDesign(matched),
    [filename]: source,
    'board.pcf': await constraintsOf(board),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const verilog = [
    ...Object.keys(gateware).filter((name) => name.endsWith('.v')),
    'user_wrapper.v',
    filename,
  ];
  const { part, package: pins } = board.fpga;
  const steps: [string, string[]][] = [
    [
      'yosys',
      ['-q', '-p', `read_verilog ${verilog.join(' ')}; synth_ice40 -top ${GATEWARE_TOP} -json n.json`],
    ],
    [
      'nextpnr-ice40',
      [
        ...[`--${part}`, '--package', pins, '--json', 'n.json', '--pcf', 'board.pcf', '--asc', 'n.asc'],
        ...['--freq', String(board.clock.hz / 1e6), '-q'],
      ],
    ],
    ['icepack', ['n.asc', 'n.bin']],
  ];
  return {
    isInstalled: () => steps.every(([tool]) => spawnSync(tool, ['-h']).error === undefined),
    /** Seconds of one build. */
    build(): number {
      const start = performance.now();
      for (const [tool, args] of steps) {
        const { status, error, stderr } = spawnSync(tool, args, { cwd: folder, encoding: 'utf8' });
        if (status !== 0) throw new Error(`${tool} failed: ${stderr}`, { cause: error });
      }
      return (performance.now() - start) / 1000;
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

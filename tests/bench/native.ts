import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
} from '../../server/toolchain/gateware.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { wrapDesign } from '../../server/toolchain/wrap/wrap.ts';
import { median } from './figure.ts';

/**
 * Seconds that the installed yosys, nextpnr-ice40 and icepack take for the echo example inside the base SoC: the
 * same sources, constraints and target as the bench builds. Median of 3; null where a tool is absent.
 */
export async function measureNative(): Promise<number | null> {
  const board = (await loadCatalogue()).get('virtual-hx8k');
  if (!board) throw new Error('The catalogue has no virtual-hx8k.');
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-native-'));
  try {
    const source = await readFile(resourcePath('examples', 'echo.v'));
    const toolchain = createToolchain({ dataDir: path.join(folder, 'data'), logger: silentLogger });
    const request = { source: new Uint8Array(source), filename: 'echo.v', board, options: {} };
    const { matched } = await toolchain.scan(request, { log: () => {}, progress: () => {} });
    await toolchain.close();
    if (!matched) throw new Error('The echo example has no Wishbone slave.');
    const gateware = await gatewareSources();
    const files: Record<string, string> = {
      ...gateware,
      [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'.repeat(64)),
      'user_wrapper.v': wrapDesign(matched),
      'echo.v': String(source),
      'board.pcf': await constraintsOf(board),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const verilog = [
      ...Object.keys(gateware).filter((name) => name.endsWith('.v')),
      'user_wrapper.v',
      'echo.v',
    ];
    const { part, package: pins } = board.fpga;
    const target = String(board.clock.hz / 1e6);
    const steps: [string, string[]][] = [
      [
        'yosys',
        ['-q', '-p', `read_verilog ${verilog.join(' ')}; synth_ice40 -top ${GATEWARE_TOP} -json n.json`],
      ],
      [
        'nextpnr-ice40',
        [
          `--${part}`,
          '--package',
          pins,
          '--json',
          'n.json',
          '--pcf',
          'board.pcf',
          '--asc',
          'n.asc',
          '--freq',
          target,
          '-q',
        ],
      ],
      ['icepack', ['n.asc', 'n.bin']],
    ];
    const seconds: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      for (const [tool, args] of steps) {
        const { status, error, stderr } = spawnSync(tool, args, { cwd: folder, encoding: 'utf8' });
        if (error && 'code' in error && error.code === 'ENOENT') return null;
        if (status !== 0) throw new Error(`${tool} failed: ${stderr}`);
      }
      seconds.push((performance.now() - start) / 1000);
    }
    return median(seconds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

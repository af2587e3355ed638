import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { exampleSource } from '../../../server/toolchain/examples.ts';
import { findExecutable } from '../../../server/toolchain/native/executables.ts';
import { createNativeEngine } from '../../../server/toolchain/native/native-engine.ts';
import { packProject, projectOfFiles } from '../../../server/toolchain/project/project.ts';
import { example, freshToolchain, record, refusal, requestOf, slave } from '../pipeline/support.ts';
import { engineOptions } from '../support.ts';

const probe = await createNativeEngine(engineOptions);
const usable = probe.supports('ice40');
if (!usable)
  process.stderr.write('yosys and nextpnr-ice40 are not installed: native builds are not tested\n');

describe.skipIf(!usable)('builds with the installed tools', () => {
  const { toolchain, dispose } = freshToolchain({ engine: 'native', deadlines: { synthesis: 30 } });
  afterAll(dispose);

  test('give the same kind of result as the embedded ones, of a project too', async () => {
    const context = record();
    const request = requestOf(exampleSource({ file: 'tone.zip' }), 'tone.zip');
    const { report, bitstream } = await toolchain.build(request, context);
    expect(bitstream.length).toBe(135_100);
    expect(report).toMatchObject({ engine: 'native', design: { module: 'tone' }, timing: { met: true } });
    expect(report.diagnostics).toEqual([]);
    expect(report.timing.critical_path.length).toBeGreaterThan(2);
    for (const resource of ['LUT', 'FF', 'carry', 'BRAM', 'IO'])
      expect(report.utilisation.find((row) => row.resource === resource)?.used).toBeGreaterThan(0);
    expect(report.versions['yosys']).toMatch(/^Yosys/);
    expect(context.text()).toMatch(/native tools: Yosys/);
  });

  test('refuse by the same names', async () => {
    const asynchronous = slave(
      '  reg [15:0] big[0:8191]; always @(posedge clk) if (wb_we) big[wb_adr] <= wb_dat_w;\n  assign wb_dat_r = big[wb_adr];',
    );
    const tooLarge = await refusal(toolchain.build(requestOf(asynchronous), record()));
    expect(tooLarge.code).toBe('build_too_large');
    expect(tooLarge.message).toContain('the memory big');
    const thief = slave(
      '  reg [31:0] m[0:3]; initial $readmemh("/etc/passwd", m); assign wb_dat_r = m[wb_adr];',
    );
    expect((await refusal(toolchain.build(requestOf(thief), record()))).code).toBe('design_file_reference');
  });
});

describe.skipIf(!usable)('a project with the installed tools and without a sandbox', () => {
  const unconfined = freshToolchain({
    engine: 'native',
    sandbox: async () => ({ kind: 'missing', reason: 'for this test' }),
  });
  afterAll(() => unconfined.dispose());
  const project = async (files: Record<string, string>) =>
    packProject(
      await projectOfFiles(
        Object.entries(files).map(([path, text]) => ({ path, contents: Buffer.from(text) })),
        2 ** 20,
      ),
    );

  test('names of files that are made up across files reach nothing where there is no sandbox', async () => {
    const body = (line: string) => slave(`  reg [31:0] m[0:3]; ${line}\n  assign wb_dat_r = m[wb_adr];`);
    const attempts: Record<string, string>[] = [
      { 'a.v': '`define PASTE(a, b) a``b\n', 'b.v': body('initial `PASTE($readm, emh)("/etc/passwd", m);') },
      { 'a.vh': '"/etc/passwd", m);\n', 'b.v': body('initial $readmemh(\n`include "a.vh"\n') },
      {
        'a.vh': '`define F "/etc/passwd"\n',
        'b.v': `\`include "a.vh"\n${body('initial $readmemh(`F, m);')}`,
      },
      {
        'a.vh': '`define R $readmemh\n',
        'b.v': `\`include "a.vh"\n${body('initial `R ("/etc/passwd", m);')}`,
      },
      {
        'a.v': 'module a #(parameter F = "") (); reg [7:0] m[0:3]; initial $readmemh(F, m); endmodule\n',
        'b.v': body('a #(.F("/etc/passwd")) x ();'),
      },
      { 'a.vh': '`define I `include\n', 'b.v': `\`include "a.vh"\n\`I "/etc/passwd"\n${body('')}` },
    ];
    for (const files of attempts) {
      const context = record();
      const found = await unconfined.toolchain.scan(requestOf(await project(files), 'p.zip'), context).then(
        ({ matched, diagnostics }) => ({ matched, said: JSON.stringify(diagnostics) }),
        (error: Error) => ({ matched: null, said: error.message }),
      );
      expect(found.matched, JSON.stringify(files)).toBeNull();
      expect(`${found.said}${context.text()}`, JSON.stringify(files)).not.toMatch(/root:|daemon/);
    }
  });
});

describe('tools that are not where they should be', () => {
  const nowhere = Object.fromEntries(
    ['yosys', 'nextpnr-himbaechel', 'gowin_pack'].map((tool) => [tool, `/nowhere/${tool}`]),
  );
  const request = requestOf(example('echo.v'), 'echo.v', {}, 'tang-nano-9k');

  test('are missing, all named at once, with what to install', async () => {
    const { toolchain, dispose } = freshToolchain({ paths: nowhere });
    const error = await refusal(toolchain.build(request, record()));
    expect(error.code).toBe('tool_missing');
    // Yosys is not missing: the embedded one does its part.
    expect(error.message).toBe(
      'Building for Tang Nano 9K needs nextpnr-himbaechel and gowin_pack, which are not installed.',
    );
    expect(error.remedy).toContain('gowin_pack (package apycula)');
    await dispose();
  });

  test('do not keep a design from being scanned', async () => {
    const { toolchain, dispose } = freshToolchain({ paths: nowhere });
    const { matched } = await toolchain.scan(request, record());
    expect(matched?.module).toBe('echo');
    await dispose();
  });

  test('a configured path that cannot be run is not replaced by another program', async () => {
    const engine = await createNativeEngine({ ...engineOptions, paths: { yosys: '/nowhere/yosys' } });
    expect(engine.supports('ice40')).toBe(false);
    const tools = await engine.tools();
    expect(tools.find(({ tool }) => tool === 'yosys')).toMatchObject({ path: null, version: null });
  });

  test('the embedded engine alone says that it cannot build for a family', async () => {
    const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
    const error = await refusal(
      toolchain.build(requestOf(example('echo.v'), 'echo.v', {}, 'colorlight-i5'), record()),
    );
    expect(error.code).toBe('tool_missing');
    expect(error.message).toContain('ecp5');
    await dispose();
  });
});

describe('programs on the PATH', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-bin-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('are found only where they are executable files', async () => {
    const before = process.env['PATH'];
    writeFileSync(path.join(folder, 'tool-a'), '#!/bin/sh\n');
    writeFileSync(path.join(folder, 'tool-b'), '#!/bin/sh\n');
    chmodSync(path.join(folder, 'tool-b'), 0o755);
    process.env['PATH'] = `relative:${folder}:${before}`;
    try {
      expect(await findExecutable('tool-a')).toBeNull();
      expect(await findExecutable('tool-b')).toBe(path.join(folder, 'tool-b'));
      expect(await findExecutable('tool-b', { 'tool-b': 'relative/tool-b' })).toBeNull();
    } finally {
      process.env['PATH'] = before;
    }
  });
});

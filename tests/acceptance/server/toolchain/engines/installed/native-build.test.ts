import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findExecutable } from '../../../../../../server/toolchain/engines/executables.ts';
import { createNativeEngine } from '../../../../../../server/toolchain/engines/installed/native-engine.ts';
import { ecp5 } from '../../../../../../server/toolchain/families/ecp5.ts';
import { packProject, projectOfFiles } from '../../../../../../server/toolchain/intake/project.ts';
import { temporaryFolder } from '../../../../../support/temporary.ts';
import {
  example,
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../../support/toolchain/build/support.ts';
import { engineOptions } from '../../../../../support/toolchain/support.ts';

describe('a project', () => {
  const { toolchain, dispose } = freshToolchain();
  afterAll(dispose);
  const project = async (files: Record<string, string>) =>
    packProject(
      await projectOfFiles(
        Object.entries(files).map(([path, text]) => ({ path, contents: Buffer.from(text) })),
        2 ** 20,
      ),
    );

  test('file names composed across files cannot read the host’s files', async () => {
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
      const found = await toolchain.scan(requestOf(await project(files), 'p.zip'), context).then(
        ({ matched, diagnostics }) => ({ matched, said: JSON.stringify(diagnostics) }),
        (error: Error) => ({ matched: null, said: error.message }),
      );
      expect(found.matched, JSON.stringify(files)).toBeNull();
      expect(`${found.said}${context.text()}`, JSON.stringify(files)).not.toMatch(/root:|daemon/);
    }
  });
});

describe('tools at a wrong path', () => {
  const nowhere = Object.fromEntries(
    ['nextpnr-himbaechel', 'gowin_pack'].map((tool) => [tool, `/nowhere/${tool}`]),
  );
  const request = requestOf(example('echo.v'), 'echo.v', {}, 'tang-nano-9k');

  test('are missing: one error names them all, and what to install', async () => {
    const { toolchain, dispose } = freshToolchain({ paths: nowhere });
    const error = await refusal(toolchain.build(request, record()));
    expect(error.code).toBe('tool_missing');
    expect(error.message).toBe(
      'Building for Tang Nano 9K needs nextpnr-himbaechel and gowin_pack, which are not installed.',
    );
    expect(error.remedy).toContain('gowin_pack (package apycula)');
    await dispose();
  });

  test('do not prevent the scan of a design', async () => {
    const { toolchain, dispose } = freshToolchain({ paths: nowhere });
    const { matched } = await toolchain.scan(request, record());
    expect(matched?.module).toBe('echo');
    await dispose();
  });

  test('a configured path that cannot be run is not replaced by another program', async () => {
    const engine = await createNativeEngine({ ...engineOptions, paths: { ecppack: '/nowhere/ecppack' } });
    expect(engine.missing(ecp5).map(({ name }) => name)).toContain('ecppack');
    const tools = await engine.tools();
    expect(tools.find(({ tool }) => tool === 'ecppack')).toMatchObject({ path: null, version: null });
  });
});

describe('programs on the PATH', () => {
  const folder = temporaryFolder('bin');

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

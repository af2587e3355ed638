import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_PROJECT_FILES } from '../../../../server/contract/designs/project-files.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { ServiceInProcess } from '../../../support/api/service-in-process.ts';

/** The command's output for a design without a build: a typical folder, and one file. */
const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-scan-'));
const lab = path.join(folder, 'lab');
const inLab = (...names: string[]) => path.join(lab, ...names);
const echo = readFileSync(resourcePath('examples', 'echo.v'), 'utf8');
let service: ServiceInProcess | undefined;
const scan = (...args: string[]) =>
  runCli(['scan', ...args], { WISHBENCH_URL: service?.url ?? '', XDG_CONFIG_HOME: folder, APPDATA: folder });

beforeAll(async () => {
  service = await ServiceInProcess.start();
  mkdirSync(inLab('rtl'), { recursive: true });
  writeFileSync(inLab('README.md'), '# Lab');
  writeFileSync(inLab('rtl', 'echo.v'), echo);
  writeFileSync(inLab('rtl', 'part.v'), 'module part(input a, output b);\nassign b = c +;\nendmodule\n');
});
afterAll(async () => {
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a file', async () => {
  expect((await scan(resourcePath('examples', 'echo.v'))).stdout).toMatch(/^echo: classic, 32 data bits/);
});

test('a folder, and one that is larger than an upload may be, which is sent as an archive', async () => {
  const whole = await scan(lab);
  expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/^echo: /)]);
  expect(whole.stderr).toMatch(/^note: ignored, not needed for a build: .*README\.md$/m);
  const data = [0, 1, 2, 3].map((k) => inLab(`${k}.hex`));
  for (const one of data) writeFileSync(one, randomBytes(150_000).toString('hex'));
  const large = await scan(lab);
  expect([large.code, large.stdout]).toEqual([0, whole.stdout]);
  expect(large.stderr).toMatch(/ \(rtl\/part\.v:2\): /);
  for (const one of data) rmSync(one);
});

test('folders with too many files for a project: prints only the error', async () => {
  const wide = path.join(folder, 'wide');
  const halves = ['a', 'b'].map((half) => path.join(wide, half, 'rtl'));
  for (const half of halves) {
    mkdirSync(half, { recursive: true });
    for (let i = 0; i <= MAX_PROJECT_FILES / 2; i++) writeFileSync(path.join(half, `${i}.v`), '');
  }
  // No request reaches a service.
  for (const [named, where] of [
    [[wide], wide],
    [halves, halves[1]],
  ] as const)
    expect(await runCli(['scan', ...named], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: `With ${where} the project has more than 2000 sources, headers and data files. Name only the folders that the design needs.\n`,
    });
  rmSync(wide, { recursive: true });
});

test('an addressing inferred only from names is flagged, with the option that changes it', async () => {
  const file = path.join(folder, 'sum.v');
  writeFileSync(
    file,
    `module sum(input wb_clk_i, input wb_cyc_i, input wb_stb_i, input [7:0] wb_adr_i, output reg [31:0] wb_dat_o, output wb_ack_o);
      assign wb_ack_o = wb_stb_i; always @(posedge wb_clk_i) wb_dat_o <= wb_adr_i + 1; endmodule`,
  );
  const { stdout, stderr } = await scan(file);
  expect(stdout).toMatch(/^sum: .* addressed by byte /);
  expect(stderr).toMatch(/^warning: check the addressing: .*; --addressing word changes it$/m);
  const chosen = await scan(file, '--addressing', 'word');
  expect([chosen.stdout, chosen.stderr]).toEqual([expect.stringMatching(/ addressed by word /), '']);
});

test('several slaves: lists them and how to choose one', async () => {
  writeFileSync(inLab('other.v'), echo.replace('module echo', 'module other'));
  const several = await scan(lab);
  expect([several.code, several.stderr]).toEqual([
    1,
    expect.stringMatching(/ \(other\.v:\d+\): [\s\S]*\nChoose one with --top: echo, other\.\n$/),
  ]);
  expect((await scan(lab, '--top', 'other')).stdout).toMatch(/^other: /);
  rmSync(inLab('other.v'));
});

test('no slave: prints the error and its file', async () => {
  rmSync(inLab('rtl', 'echo.v'));
  writeFileSync(inLab('top.v'), 'module top(input a, output b);\npart p(a, b);\nendmodule\n');
  const refused = await scan(lab);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^error \w+ \(rtl\/part\.v:2\): /m),
  ]);
});

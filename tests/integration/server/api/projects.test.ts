import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BenchStatus } from '../../../../server/contract/bench/bench.ts';
import { MAX_PROJECT_FILES } from '../../../../server/contract/designs/project-files.ts';
import type { Example } from '../../../../server/contract/designs/uploads.ts';
import type { FpgaSummary } from '../../../../server/contract/nodes/nodes.ts';
import { toolchainError } from '../../../../server/errors/toolchain.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { runningTime } from '../../../support/running-time.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const text = (words: string) => new TextEncoder().encode(words);
const FILES = { 'top.v': SOURCE, 'rtl/a.v': '// hidden\nmodule a; endmodule\n', 'data/rom.hex': '00\n01\n' };
const zipped = (files: Record<string, string>, folder = '') =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, words]) => [folder + path, text(words)])));

/** Sends files as parts of one form, and resolves with the job when it has ended. */
async function submitted(node: number, ...sent: [string, Uint8Array | string][]) {
  const client = bench.client();
  const file = sent.map(([name, contents]) => ({ name, contents }));
  const [only, ...more] = file;
  const body = { file: more.length === 0 && only ? only : file };
  const job = await client.jobEnded(await client.submitDesign({ fpga_id: node, body }));
  return { client, job };
}

const refused = async (...sent: [string, Uint8Array | string][]) => {
  const form = new FormData();
  for (const [name, contents] of sent)
    form.append('file', new Blob([new Uint8Array(Buffer.from(contents))]), name);
  const answer = await bench.post<Refusal>('/fpga/9/submit', { body: form });
  return { status: answer.status, ...answer.body.detail };
};

describe('a project', () => {
  test('a zip without its top folder: its files are listed and served singly', async () => {
    const { client, job } = await submitted(0, [
      'blinky-1.0.zip',
      zipped({ ...FILES, 'README.md': '#' }, 'blinky-1.0/'),
    ]);
    expect(job).toMatchObject({
      status: 'complete',
      submit: {
        filename: 'blinky-1.0.zip',
        files: 3,
        ignored: ['README.md (not an HDL source, header, memory data or constraints)'],
      },
    });
    const { fpga_id, job_id } = job;
    expect(await client.listDesignFiles({ fpga_id, job_id })).toEqual(
      Object.entries(FILES)
        .map(([path, words]) => ({ path, bytes: words.length }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    );
    for (const [path, words] of Object.entries(FILES))
      expect(Buffer.from(await client.getDesignFile({ fpga_id, job_id, path })).toString()).toBe(words);
    const source = unzipSync(await client.getSource({ fpga_id, job_id }));
    expect(
      Object.fromEntries(
        Object.entries(source).map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
      ),
    ).toEqual(FILES);
    const log = await bench.get<string>(`/fpga/0/jobs/${job_id}/logs`);
    expect(log.body).toContain('note: not part of the project: README.md');
    const header = (await bench.get(`/fpga/0/jobs/${job_id}/source`)).headers;
    expect(header.get('content-type')).toBe('application/zip');
    expect(header.get('content-disposition')).toContain('attachment; filename="blinky-1.0.zip"');
    for (const path of ['absent.v', '..%2Fsource', 'rtl'])
      expect((await bench.get<Refusal>(`/fpga/0/jobs/${job_id}/files/${path}`)).body.detail.error).toBe(
        'design_file_not_found',
      );
  });

  test('as several parts with paths as names, to a node and to any', async () => {
    const { job } = await submitted(
      1,
      ...Object.entries(FILES).map(([path, words]): [string, string] => [`blinky/${path}`, words]),
    );
    expect(job).toMatchObject({ status: 'complete', submit: { filename: 'blinky.zip', files: 3 } });
    const client = bench.client();
    const file = Object.entries(FILES).map(([name, contents]) => ({ name, contents }));
    const any = await client.submitToAnyNode({ body: { file } });
    for (;;) {
      const seen = await client.findJob({ job_id: any.job_id, wait: 10 });
      if (seen.status !== 'complete') continue;
      const { filename } =
        (await client.getJobDetails({ fpga_id: seen.fpga_id as number, job_id: seen.job_id })).submit ?? {};
      expect(filename).toBe('top.zip');
      break;
    }
    // The same files are the same archive, however they were sent.
    const sources = await Promise.all(
      [
        job,
        { fpga_id: (await client.findJob({ job_id: any.job_id })).fpga_id as number, job_id: any.job_id },
      ].map((one) => client.getSource({ fpga_id: one.fpga_id, job_id: one.job_id })),
    );
    expect(sources[0]).toEqual(sources[1]);
  });

  test('accepts as many files as the limit; above it, reports the count and a remedy', async () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, i): [string, string] => [`lib/f${i}.v`, `// ${i}`]);
    const { client, job } = await submitted(8, ['lib/top.v', SOURCE], ...some(MAX_PROJECT_FILES - 1));
    expect(job).toMatchObject({ status: 'complete', submit: { files: MAX_PROJECT_FILES } });
    await client.jobEnded(await client.releaseSession({ fpga_id: 8 }));
    expect(await refused(...some(MAX_PROJECT_FILES + 1))).toMatchObject({
      status: 413,
      error: 'project_too_large',
      message: expect.stringMatching(
        /^The project has 2001 .*takes at most 2000\. Send only the folders that the design needs\.$/,
      ),
    });
    expect(await refused(...some(MAX_PROJECT_FILES + 201))).toMatchObject({
      status: 422,
      message: expect.stringContaining('a project has at most 2000 files'),
    });
  });

  test('one file stays one file', async () => {
    const { client, job } = await submitted(6, ['echo.v', SOURCE]);
    const { fpga_id, job_id } = job;
    expect(job.submit).toEqual({ filename: 'echo.v', size: SOURCE.length, options: {} });
    expect(await client.listDesignFiles({ fpga_id, job_id })).toEqual([
      { path: 'echo.v', bytes: SOURCE.length },
    ]);
    expect(Buffer.from(await client.getDesignFile({ fpga_id, job_id, path: 'echo.v' })).toString()).toBe(
      SOURCE,
    );
    expect((await bench.get<string>(`/fpga/6/jobs/${job_id}/source`)).body).toBe(SOURCE);
  });

  test('a run has no files', async () => {
    const { job } = await submitted(7, ['echo.v', SOURCE]);
    const run = await bench.run(job.fpga_id, { op: 2, address: 0 });
    expect((await bench.get<Refusal>(`/fpga/7/jobs/${run}/files`)).body.detail.error).toBe('no_source');
  });

  test.each<[string, [string, Uint8Array | string][], number, string, RegExp]>([
    [
      'a way out in a zip',
      [['p.zip', zipped({ '../top.v': SOURCE })]],
      422,
      'project_path',
      /“\.\.\/top\.v” has \.\. in its path/,
    ],
    [
      'a way out in a part',
      [
        ['a/top.v', SOURCE],
        ['../b.v', SOURCE],
      ],
      422,
      'project_path',
      /“\.\.\/b\.v”/,
    ],
    [
      'an absolute part',
      [
        ['/etc/a.v', SOURCE],
        ['b.v', SOURCE],
      ],
      422,
      'project_path',
      /absolute/,
    ],
    [
      'a part twice',
      [
        ['a.v', SOURCE],
        ['a.v', SOURCE],
      ],
      422,
      'project_path',
      /twice/,
    ],
    ['a zip that is none', [['p.zip', SOURCE]], 422, 'project_archive', /truncated or damaged/],
    [
      'a zip that is cut off',
      [['p.zip', zipped(FILES).subarray(0, 100)]],
      422,
      'project_archive',
      /truncated or damaged/,
    ],
    [
      'a bomb',
      [['p.zip', zipSync({ 'top.v': new Uint8Array(64 * 2 ** 20) })]],
      413,
      'project_too_large',
      /“top\.v”/,
    ],
    [
      'too much at once',
      [
        ['a.v', 'x'.repeat(600_000)],
        ['b.v', 'x'.repeat(500_000)],
      ],
      413,
      'file_too_large',
      /together/,
    ],
    ['nothing to build', [['p.zip', zipped({ 'README.md': '#' })]], 422, 'project_sources', /README/],
  ])('%s is refused without any change', async (_what, sent, status, code, message) => {
    const jobs = (await bench.get<unknown[]>('/jobs')).body.length;
    const answer = await refused(...sent);
    expect(answer).toMatchObject({ status, error: code });
    expect(answer.message).toMatch(message);
    expect((await bench.get<unknown[]>('/jobs')).body.length).toBe(jobs);
    expect((await bench.get<FpgaSummary>('/fpga/9')).body.state).toBe('idle');
  });

  test('a scan accepts it too', async () => {
    const found = await bench
      .client()
      .scanDesign({ body: { file: { name: 'p.zip', contents: zipped(FILES) } } });
    expect(found.matched).not.toBeNull();
  });

  test('an example is one', async () => {
    const examples = (await bench.get<Example[]>('/examples')).body;
    const example = examples.find(({ file }) => file.endsWith('.zip'));
    const archive = await bench.client().getExample({ file: example?.file ?? '' });
    expect(archive.length).toBe(example?.size);
    expect(Object.keys(unzipSync(archive))).toContain('tone.v');
  });
});

describe('languages', () => {
  const missing = toolchainError('tool_missing', { message: 'There is no Amaranth.', remedy: 'Install it.' });

  test('are listed with reasons, and refused at once if unavailable', async () => {
    bench.toolchain.refusals = { amaranth: missing };
    const { languages } = (await bench.get<BenchStatus>('/status')).body;
    expect(languages).toEqual([
      { language: 'verilog', available: true, reason: null },
      { language: 'systemverilog', available: true, reason: null },
      { language: 'vhdl', available: true, reason: null },
      { language: 'amaranth', available: false, reason: 'There is no Amaranth. Install it.' },
    ]);
    const ranFor = await runningTime();
    expect(await refused(['counter.py', 'from amaranth import *\n'])).toMatchObject({
      status: 422,
      error: 'tool_missing',
    });
    const form = new FormData();
    form.append('file', new Blob(['from amaranth import *\n']), 'counter.py');
    for (const route of ['/scan', '/submit'])
      expect((await bench.post<Refusal>(route, { body: form })).body.detail.message).toContain(
        'There is no Amaranth.',
      );
    expect(ranFor()).toBeLessThan(10_000);
    bench.toolchain.refusals = {};
    const { job } = await submitted(8, ['counter.py', 'from amaranth import *\n']);
    expect(job.status).toBe('complete');
  });
});

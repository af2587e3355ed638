import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { BenchStatus } from '../../../server/contract/bench/bench.ts';
import type { Client } from '../../../server/contract/client/client.ts';
import { appRoot, resourcePath } from '../../../server/paths.ts';
import { ServiceInProcess } from '../../support/api/service-in-process.ts';
import { endPythons, hasModule, PythonProcess, runPython } from '../../support/clients/python.ts';

/** Four words of memory; the last counts clocks instead. Nothing answers from 0x100 on. */
const PARTIAL = `module partial (
    input wire clk, input wire rst,
    input wire wb_cyc, input wire wb_stb, input wire wb_we, input wire [6:0] wb_adr,
    input wire [31:0] wb_dat_w, input wire [3:0] wb_sel,
    output reg [31:0] wb_dat_r, output reg wb_ack
);
  reg [31:0] words[0:3];
  reg [31:0] clocks = 0;
  wire access = wb_cyc & wb_stb & ~wb_ack & ~wb_adr[6];
  always @(posedge clk) begin
    clocks <= clocks + 1;
    wb_ack <= access & ~rst;
    if (access & wb_we) words[wb_adr[1:0]] <= wb_dat_w;
    wb_dat_r <= &wb_adr[1:0] ? clocks : words[wb_adr[1:0]];
  end
endmodule
`;

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-python-'));
let service: ServiceInProcess;
let url = '';
let client: Client;

beforeAll(async () => {
  writeFileSync(path.join(folder, 'echo.v'), readFileSync(resourcePath('examples', 'echo.v')));
  writeFileSync(path.join(folder, 'partial.v'), PARTIAL);
  writeFileSync(path.join(folder, 'broken.v'), 'module broken (input wire clk);\n  wire x = ;\nendmodule\n');
  const partial = { filename: 'partial.v', source: PARTIAL };
  service = await ServiceInProcess.start(['echo.v', partial, 'gpio.v']);
  url = service.url;
  client = service.client();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

// A failed test must not affect the others, nor its own second try.
afterEach(async ({ task }) => {
  await endPythons();
  if (task.result?.state !== 'fail') return;
  const jobs = await client.listJobs({ limit: 20 });
  await Promise.all(
    jobs.map((job) => job.fpga_id !== null && client.jobEnded({ ...job, fpga_id: job.fpga_id })),
  );
  for (const { fpga_id, session } of await client.listNodes())
    if (session) await client.jobEnded(await client.releaseSession({ fpga_id }));
});

const python = (script: string, environment: Record<string, string> = {}, at = url) =>
  runPython(script, { url: at, cwd: folder, environment });

/** The output of a script that must succeed. */
async function printed(script: string, environment?: Record<string, string>, at?: string): Promise<string> {
  const { code, stdout, stderr } = await python(script, environment, at);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout;
}

const states = async () => (await client.listNodes()).map(({ state }) => state);
const allIdle = Array.from({ length: 10 }, () => 'idle');

/** The first piece of Python on a page. */
const scriptOf = (page: string) =>
  /```python\n(.*?)```/s.exec(readFileSync(path.join(appRoot, page), 'utf8'))?.[1] ?? '';

describe('a script', () => {
  test('needs at most six lines, and leaves the node idle', async () => {
    const script = scriptOf('docs/clients-python.md');
    expect(script.trimEnd().split('\n').length).toBeLessThanOrEqual(6);
    expect(await printed(script)).toBe('[1, 2, 3]\n');
    expect(await states()).toEqual(allIdle);
    const [newest] = await client.listJobs({ limit: 1 });
    expect(newest).toMatchObject({ type: 'reset', owner: 'a-python-script' });
  });

  test.each(['stream', 'rest'])('reads and writes in every way: %s', async (transport) => {
    const script = `
import pathlib
import wishbench
bench = wishbench.Bench(transport="${transport}")
with bench.program("echo.v", node=4) as node:
    node.write(0, 0xFFFFFFFF)
    assert node.read(0) == 0xFFFFFFFF
    assert node.read(0, 0) == []
    node.write(0, [])
    node.write(4, (word * 0x01010101 for word in range(200)))
    assert node.read(4, 200) == [word * 0x01010101 for word in range(200)]
    node.write(8, [1, 2, 3], fixed=True)
    assert node.read(8, 2, fixed=True) == [3, 3]
    node.write(8, [7] * 5_000, fixed=True)
    assert node.read(8, 5_000, fixed=True) == [7] * 5_000
    assert node.read(0xF0000000) != 0
    for wrong in (lambda: node.write(0, -1), lambda: node.write(0, 2**32), lambda: node.read(2),
                  lambda: node.read(-4), lambda: node.read(0, -1), lambda: node.write(0, "1")):
        try:
            wrong()
        except ValueError:
            continue
        raise AssertionError("not refused")
    print(node.fpga_id, node.status(), node.report()["timing"]["met"], len(node.bitstream()) > 1000,
          "echo" in node.log(), node.job.source() == pathlib.Path("echo.v").read_bytes())
print(bench.nodes()[4].state)
try:
    node.read(0)
except wishbench.SessionLost as error:
    print(error.code)`;
    expect(await printed(script)).toBe(
      '4 <Node 4: reserved for a-python-script> True True True True\nidle\nsession_lost\n',
    );
  });

  test('replaces its running design, which ends the previous session', async () => {
    const script = `
import wishbench
bench = wishbench.Bench()
first = bench.program("echo.v", node=6)
second = bench.program("partial.v", node=6, replace=True)
second.write(0, 7)
print(second.read(0), first.session_id != second.session_id)
try:
    first.read(0)
except wishbench.SessionLost as error:
    print(error.code)
# What is not held any more is left alone.
first.release()
print(second.read(0))
second.release()
print(bench.nodes()[6].state)`;
    expect(await printed(script)).toBe('7 True\nsession_lost\n7\nidle\n');
  });

  test('takes more words than a run may have', async () => {
    const script = `
import wishbench
with wishbench.Bench().program("echo.v") as node:
    node.write(0, range(300))
    print(node.read(0, 300) == list(range(300)))`;
    const { settings } = await client.getSettings();
    await client.changeSettings({ body: { limits: { words_per_run: 100 } } });
    try {
      expect(await printed(script)).toBe('True\n');
    } finally {
      await client.changeSettings({ body: { limits: { words_per_run: settings.limits.words_per_run } } });
    }
  });

  test('reads jobs, logs, examples, events and the matcher’s result', async () => {
    const script = `
import os, tempfile, wishbench
with wishbench.Bench() as bench:
    events = bench.events()
    first = next(events)
    print(first["type"], len(first["nodes"]))
    source = bench.example("gpio.v")
    print(bench.scan("gpio.v", contents=source)["matched"]["module"])
    print(any(one["file"] == "gpio.v" for one in bench.examples()))
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("gpio.v", "0.hex", "1.hex")]
        for path in paths:
            with open(path, "w") as file:
                file.write(source if path.endswith(".v") else os.urandom(300_000).hex())
        # More than one upload may have: it is sent as an archive.
        print(bench.scan(paths)["matched"]["module"])
    seen = []
    with bench.program("gpio.v", contents=source, allow_timing_failure=True, on_change=lambda job: seen.append(job.status)) as node:
        print(seen[-1], next(event["node"]["state"] for event in events if event["type"] == "node"))
        job = node.job
        followed = list(bench.logs(job.id, follow=True))
        print(followed == list(bench.logs(job.id)), len(followed) > 3)
        print(bench.job(job.id).data["submit"]["options"])
        print(bench.job(job.id).status, job.id in [one.id for one in bench.jobs(status="complete", node=node.fpga_id)])
    print(bench.health(), bench.status()["version"])`;
    const { version } = JSON.parse(readFileSync(path.join(appRoot, 'package.json'), 'utf8'));
    expect(await printed(script)).toBe(
      `snapshot 10\ngpio\nTrue\ngpio\ncomplete queued\nTrue True\n{'allow_timing_failure': True}\ncomplete True\nTrue ${version}\n`,
    );
  });
});

describe('errors', () => {
  test('a failed build raises JobFailed with its reason and the end of its log', async () => {
    const { code, stderr, stdout } = await python(`
import wishbench
try:
    wishbench.Bench().program("broken.v")
except wishbench.JobFailed as error:
    print(error.code, len(error.remedy) > 10, len(error.log) > 0, error.diagnostics[0]["line"], error.job_id == error.job.id)
    raise`);
    expect(stdout).toMatch(/^\w+ True True 2 True\n$/);
    expect(code).toBe(1);
    const [failed] = await client.listJobs({ limit: 1 });
    const { error, message, remedy } = failed?.failure ?? {};
    expect(message).not.toMatch(/\.$/);
    expect(stderr).toContain(`wishbench.JobFailed: ${error}: ${message}. ${remedy}\n`);
    expect(stderr).toContain(`The end of the log of job ${failed?.job_id}:\n`);
    expect(stderr).toContain('broken.v:2');
    expect(await states()).toEqual(allIdle);
  });

  test.each(['stream', 'rest'])(
    'a bus fault names the address, and the node stays usable: %s',
    async (transport) => {
      const script = `
import wishbench
with wishbench.Bench(transport="${transport}").program("partial.v") as node:
    for what in (lambda: node.read(0x100), lambda: node.write(0x104, 1)):
        try:
            what()
        except wishbench.BusFault as error:
            print(error.code, hex(error.address), error.message)
    node.write(0, 7)
    print(node.read(0))`;
      const out = await printed(script);
      expect(out).toMatch(
        /^bus_fault 0x100 The read of 0x00000100 on node \d failed: [^\n]+\nbus_fault 0x104 The write to 0x00000104 on node \d failed: [^\n]+\n7\n$/,
      );
    },
  );

  test('poll waits for a value, bits or a condition, and times out', async () => {
    const script = `
import wishbench
with wishbench.Bench().program("partial.v") as node:
    node.write(0, [0x55, 6])
    print(node.poll(0, 0x55), node.poll(4, mask=2), node.poll(0, 0x5, mask=0xF))
    print(node.poll(12, until=lambda clocks: clocks > 1000) > 1000)
    try:
        node.poll(0, 0x56, timeout=0.2)
    except wishbench.TimedOut as error:
        print(isinstance(error, TimeoutError), error.message)`;
    expect(await printed(script)).toMatch(
      /^85 6 85\nTrue\nTrue After 0\.2 s the word at 0x00000000 of node \d was 0x00000055/,
    );
  });

  test('a rejected request carries its code, its remedy and the fields', async () => {
    const script = `
import wishbench
bench = wishbench.Bench()
try:
    bench.program("echo.v", addressing="sideways")
except wishbench.Refused as error:
    print(error.status, error.code, error.fields[0]["loc"], bool(error.remedy))
    print("addressing" in str(error))
try:
    bench.node(3)
except wishbench.SessionLost as error:
    print(error.code)
with bench.program("echo.v", node=3):
    try:
        bench.program("echo.v", node=3)
    except wishbench.Refused as error:
        print(error.code, error.message, "|", error.remedy)`;
    expect(await printed(script)).toMatch(
      /^422 \w+ \['body', 'addressing'\] True\nTrue\nsession_lost\nfpga_not_idle [^|]+\. \| [A-Z].+\.\n$/,
    );
  });

  test('fails at once for an unreachable or malformed address, or one that contains a key', async () => {
    const script = `
import wishbench
for what in (lambda: wishbench.Bench("http://127.0.0.1:9").nodes(), lambda: wishbench.Bench("http://me:secret@lab").nodes(),
             lambda: wishbench.Bench("lab:8000").nodes(), lambda: wishbench.Bench(key="two\\nlines")):
    try:
        what()
    except (wishbench.WishbenchError, ValueError) as error:
        print(type(error).__name__, "secret" in str(error))`;
    expect(await printed(script)).toBe(
      'Unreachable False\nValueError False\nValueError False\nValueError False\n',
    );
  });

  test('a session that somebody else ended is not reused, and its successor is not released', async () => {
    const script = new PythonProcess(
      [
        '-c',
        `
import wishbench
with wishbench.Bench().program("echo.v", node=6) as node:
    node.write(0, 1)
    print("ready")
    input()
    try:
        node.write(0, 2)
    except wishbench.SessionLost as error:
        print(error)`,
      ],
      { url, cwd: folder },
    );
    await script.wrote('ready');
    const fpga_id = 6;
    await client.jobEnded(await client.releaseSession({ fpga_id }));
    const file = { name: 'echo.v', contents: readFileSync(resourcePath('examples', 'echo.v')) };
    await client.jobEnded(await client.submitDesign({ fpga_id, body: { file } }));
    await client.jobEnded(await client.runTransaction({ fpga_id, body: { op: 1, address: 0, data: [9] } }));
    script.enter();
    const { code, stdout, stderr } = await script.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ready\nsession_lost: /);
    expect((await client.getNode({ fpga_id })).state).toBe('reserved');
    const { job_id } = await client.runTransaction({ fpga_id, body: { op: 2, address: 0 } });
    await client.jobEnded({ fpga_id, job_id });
    expect((await client.getRunResult({ fpga_id, job_id })).data).toEqual([9]);
    await client.jobEnded(await client.releaseSession({ fpga_id }));
  });
});

describe('an interrupt', () => {
  test('in the block releases the node', async () => {
    const script = new PythonProcess(
      [
        '-c',
        `
import wishbench
with wishbench.Bench().program("echo.v") as node:
    node.write(0, 0)
    print("ready")
    node.poll(0, 1, timeout=600, every=0)`,
      ],
      { url, cwd: folder },
    );
    await script.wrote('ready');
    expect((await states()).filter((state) => state === 'reserved')).toHaveLength(1);
    script.kill('SIGINT');
    const { stderr, signal } = await script.ended;
    expect(signal).toBe('SIGINT');
    expect(stderr).toMatch(/KeyboardInterrupt\s*$/);
    expect(await states()).toEqual(allIdle);
  });

  test('during the build releases the node', async () => {
    const script = new PythonProcess(
      [
        '-c',
        `
import pathlib
import wishbench
source = pathlib.Path("echo.v").read_text() + "\\n// ${performance.now()}\\n"
wishbench.Bench().program("echo.v", contents=source, on_change=lambda job: print("told", job.status))`,
      ],
      { url, cwd: folder },
    );
    await script.wrote('told');
    await expect.poll(async () => (await client.listJobs({ limit: 1 }))[0]?.status).toBe('running');
    script.kill('SIGINT');
    const { stderr, signal } = await script.ended;
    expect(signal).toBe('SIGINT');
    expect(stderr).toContain('Waiting for job');
    expect(await states()).toEqual(allIdle);
  });
});

describe('a service that is restarted', () => {
  test('is awaited, and the session continues, over streams and over REST', async () => {
    const scripts = ['stream', 'rest'].map(
      (transport) =>
        new PythonProcess(
          [
            '-c',
            `
import wishbench
with wishbench.Bench(transport="${transport}").program("echo.v") as node:
    node.write(0, [1, 2])
    print("ready")
    input()
    node.write(0, [3, 4])
    print(node.read(0, 2))`,
          ],
          { url, cwd: folder },
        ),
    );
    for (const script of scripts) await script.wrote('ready');
    await service.stop();
    for (const script of scripts) script.enter();
    await service.resume();
    for (const script of scripts) {
      const { code, stdout, stderr } = await script.ended;
      expect([stdout, stderr, code]).toEqual(['ready\n[3, 4]\n', '', 0]);
    }
    expect(await states()).toEqual(allIdle);
  });
});

describe('an older service, which has neither streams nor a submit without a node', () => {
  test('is used over REST, with the first idle node', async () => {
    const asked: string[] = [];
    const older = http.createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', url);
      asked.push(`${request.method} ${pathname}`);
      if (pathname === '/submit' || pathname.endsWith('/stream')) {
        response.writeHead(404, { 'content-type': 'application/json' });
        response.end('{"detail":{"error":"not_found","message":"There is nothing at this address."}}');
        request.resume();
        return;
      }
      const headers = { ...request.headers, host: new URL(url).host };
      const through = http.request(url + request.url, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(through);
    });
    await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
    try {
      const at = `http://127.0.0.1:${(older.address() as AddressInfo).port}`;
      expect(await printed(scriptOf('docs/clients-python.md'), {}, at)).toBe('[1, 2, 3]\n');
      expect(asked.filter((one) => one === 'POST /submit')).toHaveLength(1);
      expect(asked.some((one) => /POST \/fpga\/\d\/run/.test(one))).toBe(true);
    } finally {
      older.closeAllConnections();
      older.close();
    }
  });
});

describe('TLS', () => {
  test('takes a CA file or a fingerprint, and sends nothing to a service that it does not trust', async () => {
    const network = { lan: true, tls: { kind: 'own' as const }, tls_port: 0 };
    await client.changeSettings({ body: { network } });
    await client.changeSettings({ body: { auth: { enforcement: false } } });
    const { lan } = (await client.getStatus()) as BenchStatus;
    const address = `https://localhost:${new URL(lan.addresses[0] ?? '').port}`;
    const pem = path.join(service.dataDir, 'tls', 'certificate.pem');
    const script = `
import wishbench
good = ${JSON.stringify(lan.tls?.fingerprint)}
for trust in ({"ca_file": ${JSON.stringify(pem)}}, {"fingerprint": good}, {"fingerprint": good.replace(":", "").lower()}):
    print(len(wishbench.Bench("${address}", **trust).nodes()))
with wishbench.Bench("${address}", fingerprint=good).program("echo.v") as node:
    node.write(0, [1, 2])
    print(node.read(0, 2))
for trust in ({}, {"fingerprint": "00" * 32}, {"ca_file": "/etc/ssl/certs/ca-certificates.crt"}):
    try:
        wishbench.Bench("${address}", **trust).nodes()
    except wishbench.Untrusted as error:
        print(error.code)
for trust in ({"fingerprint": "12:34"}, {"ca_file": "echo.v"}):
    try:
        wishbench.Bench("${address}", **trust).nodes()
    except (ValueError, OSError) as error:
        print("refused")
try:
    wishbench.Bench("${url}", fingerprint=good)
except ValueError as error:
    print("refused")`;
    expect(await printed(script, {}, address)).toBe(
      `${'10\n'.repeat(3)}[1, 2]\n${'certificate_untrusted\n'.repeat(3)}${'refused\n'.repeat(3)}`,
    );
    await client.changeSettings({ body: { network: { lan: false } } });
  });
});

describe.runIf(hasModule('pytest'))('the pytest plugin', () => {
  const suite = path.join(folder, 'suite');
  const run = async (file: string, args: string[], at = url) => {
    const report = path.join(suite, 'report.xml');
    rmSync(report, { force: true });
    const { code, stdout, stderr } = await new PythonProcess(
      ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', `--junitxml=${report}`, ...args, file],
      { url: at, cwd: suite },
    ).ended;
    return { code, text: stdout + stderr, xml: readFileSync(report, 'utf8') };
  };

  beforeAll(() => {
    mkdirSync(suite);
    writeFileSync(path.join(suite, 'conftest.py'), 'pytest_plugins = ["wishbench"]\n');
    for (const name of ['echo.v', 'broken.v'])
      writeFileSync(path.join(suite, name), readFileSync(path.join(folder, name)));
    writeFileSync(
      path.join(suite, 'test_bench.py'),
      `import pytest

@pytest.mark.wishbench("echo.v")
def test_node(wishbench_node):
    wishbench_node.write(0x10, [1, 2, 3])
    assert wishbench_node.read(0x10, 3) == [1, 2, 3]

def test_two(wishbench_program):
    one, other = wishbench_program("echo.v"), wishbench_program("echo.v")
    one.write(0, 1)
    other.write(0, 2)
    assert (one.read(0), other.read(0)) == (1, 2)

def test_fails(wishbench_program):
    node = wishbench_program("echo.v")
    assert node.read(0) == 0xFFFFFFFF

@pytest.mark.wishbench("broken.v")
def test_broken(wishbench_node):
    pass

def test_without_a_design(wishbench_node):
    pass
`,
    );
  });

  test('programs and releases nodes, and reports failures in valid JUnit XML', async () => {
    const { code, xml, text } = await run('test_bench.py', []);
    expect(code, text).toBe(1);
    expect(xml).toMatch(/<testsuite [^>]*errors="2" failures="1" skipped="0" tests="5"/);
    expect(xml).toMatch(/<property name="wishbench_node" value="\d"/);
    expect(xml).toMatch(/message="failed on setup with &quot;wishbench\.JobFailed: \w+: /);
    expect(xml).toContain('broken.v:2');
    expect(xml).toContain('wishbench_node needs to know its design');
    // The failure appears where the test is.
    expect(text).not.toContain('def _transact');
    expect(await states()).toEqual(allIdle);
  });

  test('skips where no bench answers, and fails where one is demanded', async () => {
    const nowhere = 'http://127.0.0.1:9';
    const skipped = await run('test_bench.py', ['-k', 'two'], nowhere);
    expect(skipped.code).toBe(0);
    expect(skipped.xml).toMatch(/<skipped [^>]*message="unreachable: No service answers at http:/);
    const demanded = await run('test_bench.py', ['-k', 'two', '--wishbench-required'], nowhere);
    expect(demanded.code).toBe(1);
    expect(demanded.xml).toContain('No service answers at');
    const named = await run('test_bench.py', ['-k', 'test_node', `--wishbench-url=${url}`], nowhere);
    expect(named.code, named.text).toBe(0);
  });
});

test.runIf(hasModule('mypy'))('the types are complete, for Python 3.9', async () => {
  // The type checker's cache of Python's own library lasts from run to run; a changed file is checked again.
  const cache = path.join(appRoot, 'node_modules', '.cache', 'mypy');
  const args = ['-m', 'mypy', '--strict', '--python-version', '3.9', '--cache-dir', cache];
  const file = resourcePath('clients', 'python', 'wishbench.py');
  const { code, stdout } = await new PythonProcess([...args, file], { url, cwd: folder }).ended;
  expect([stdout, code]).toEqual(['Success: no issues found in 1 source file\n', 0]);
});

import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import type { BenchError } from '../../../../../../server/errors/bench-error.ts';
import { createEmbeddedEngine } from '../../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { findExecutable } from '../../../../../../server/toolchain/engines/executables.ts';
import { findSandbox } from '../../../../../../server/toolchain/engines/sandbox/bubblewrap.ts';
import {
  type AmaranthLimits,
  findAmaranth,
  readAmaranth,
} from '../../../../../../server/toolchain/frontends/amaranth/amaranth.ts';
import { prepareSource } from '../../../../../../server/toolchain/intake/source.ts';
import { runningTime } from '../../../../../support/running-time.ts';
import { temporaryFolder } from '../../../../../support/temporary.ts';
import {
  freshToolchain,
  record,
  refusal,
  requestOf,
} from '../../../../../support/toolchain/build/support.ts';
import { storedRuns } from '../../../../../support/toolchain/support.ts';

const sandbox = await findSandbox(systemClock);
const python = await findExecutable('python3');
const usable = sandbox.kind !== 'missing' && python !== null;
if (!usable) process.stderr.write('bubblewrap or python3 is not here: designs in Python are not tested\n');

const folder = temporaryFolder('amaranth');

/**
 * A stand-in for Amaranth, which is not installed: the three names that the harness imports, and components with their
 * own RTLIL. Harness, interpreter, sandbox and Yosys are real. The harness' use of the real Amaranth is not tested
 * here.
 */
const STAND_IN: Record<string, string> = {
  '__init__.py': '__version__ = "0.0 (stand-in)"\n',
  'hdl.py': 'class Elaboratable: pass\nclass Signal:\n    def __init__(self, name): self.name = name\n',
  'back/__init__.py': '',
  'back/rtlil.py':
    'def convert(component, *, name="top", ports=None, **options):\n    component.elaborate(None)\n    return component.rtlil(name)\n',
};

const INTERPRETER = path.join(folder, 'python3');
writeFileSync(INTERPRETER, `#!/bin/sh\nPYTHONPATH=${folder} exec ${python} "$@"\n`);
chmodSync(INTERPRETER, 0o755);
for (const [name, text] of Object.entries(STAND_IN)) {
  const file = path.join(folder, 'amaranth', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A slave that answers with its address, as a component with its own RTLIL. */
const SLAVE = `
from amaranth.hdl import Elaboratable
class Slave(Elaboratable):
    def elaborate(self, platform): pass
    def rtlil(self, name):
        ports = [("clk", 1), ("rst", 1), ("wb_cyc", 1), ("wb_stb", 1), ("wb_we", 1), ("wb_adr", 8), ("wb_dat_w", 32), ("wb_sel", 4)]
        lines = ["attribute \\\\top 1", "module \\\\" + name]
        for i, (port, width) in enumerate(ports):
            lines.append("  wire width %d input %d \\\\%s" % (width, i, port))
        lines += ["  wire width 32 output 8 \\\\wb_dat_r", "  wire output 9 \\\\wb_ack",
                  "  connect \\\\wb_dat_r { 24'000000000000000000000000 \\\\wb_adr }",
                  "  cell $and $1", "    parameter \\\\A_SIGNED 0", "    parameter \\\\B_SIGNED 0", "    parameter \\\\A_WIDTH 1",
                  "    parameter \\\\B_WIDTH 1", "    parameter \\\\Y_WIDTH 1", "    connect \\\\A \\\\wb_cyc", "    connect \\\\B \\\\wb_stb",
                  "    connect \\\\Y \\\\wb_ack", "  end", "end"]
        return "\\n".join(lines) + "\\n"
`;

describe.skipIf(!usable)('a design in Python', () => {
  const { toolchain, dispose } = freshToolchain({ paths: { python: INTERPRETER } });
  afterAll(dispose);
  const scan = (source: string, options = {}) => {
    const context = record();
    return toolchain
      .scan(requestOf(source, 'design.py', options), context)
      .then((result) => ({ result, log: context.text() }));
  };

  test('runs in the sandbox and becomes a bitstream', async () => {
    const context = record();
    const { report, bitstream } = await toolchain.build(requestOf(SLAVE, 'design.py'), context);
    expect(report.design).toMatchObject({ module: 'Slave', addressWidth: 8 });
    expect(report.versions['amaranth']).toMatch(/^Amaranth 0\.0 \(stand-in\), Python 3/);
    expect(bitstream.length).toBe(135_100);
    expect(context.text()).toMatch(/running design\.py in the sandbox \(bubblewrap/);
  });

  test('names each class after itself, and top selects one of several', async () => {
    const two = `${SLAVE}\nclass Other(Slave): pass\n`;
    const both = await scan(two);
    expect(both.result.matched).toBeNull();
    expect(both.result.modules.map(({ name }) => name).sort()).toEqual(['Other', 'Slave']);
    expect((await scan(two, { top: 'Other' })).result.matched?.module).toBe('Other');
  });

  test('a class that the file instantiates counts as its instance', async () => {
    const source = `${SLAVE}\nslave = Slave()\n`;
    expect((await scan(source)).result.matched?.module).toBe('slave');
    expect((await scan(source, { top: 'Slave' })).result.matched?.module).toBe('Slave');
  });

  test('a component that is only a part of another is not a candidate', async () => {
    const source = `${SLAVE}
class Whole(Slave):
    def elaborate(self, platform):
        Slave().elaborate(platform)
`;
    expect((await scan(source)).result.matched?.module).toBe('Whole');
  });

  test('the file itself may instantiate a class that needs arguments', async () => {
    const source = `${SLAVE}
class Sized(Slave):
    def __init__(self, size): self.size = size
Slave = None
`;
    const { result, log } = await scan(source);
    expect(result.matched).toBeNull();
    expect(result.diagnostics).toContainEqual(expect.objectContaining({ severity: 'error' }));
    expect(log).toMatch(/warning: design\.py:\d+: class Sized needs arguments/);
    expect((await scan(`${source}\nsized = Sized(4)\n`)).result.matched?.module).toBe('sized');
  });

  test.each([
    ['import nothing_of_that_name', 'ModuleNotFoundError'],
    ['def f(:', 'SyntaxError'],
    ['\n\nraise ValueError("on purpose")', 'ValueError: on purpose'],
    ['import sys; sys.exit(0)', 'SystemExit'],
    ['x = 1', 'no Amaranth component'],
  ])('%j is an error of the design', async (source, message) => {
    const error = await refusal(toolchain.build(requestOf(source, 'design.py'), record()));
    expect(error.code).toBe('design_invalid');
    expect(error.message).toContain(message);
    if (source.includes('raise')) expect(error.message).toMatch(/^design\.py:3: /);
  });
});

describe.skipIf(!usable)('a hostile design in Python', () => {
  const engine = createEmbeddedEngine(storedRuns);
  let server: Server;
  let port = 0;
  let knocks = 0;
  const secret = path.join(folder, 'secret.txt');
  beforeAll(async () => {
    writeFileSync(secret, 'a secret of the host');
    server = createServer((socket) => {
      knocks++;
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterAll(async () => {
    server.close();
    await engine.close();
  });

  /** Runs a program that prints what it got; everything it prints ends up in the log. */
  async function run(program: string, limits: AmaranthLimits = { deadline: 20, memory: 256 * 2 ** 20 }) {
    const context = record();
    const ranFor = await runningTime();
    const error = await readAmaranth(
      { python: interpreter!, sandbox, clock: systemClock, limits },
      prepareSource(Buffer.from(program), 'design.py'),
      undefined,
      context,
    ).then(
      () => null,
      (reason: BenchError) => reason,
    );
    return { error, log: context.text(), seconds: ranFor() / 1000 };
  }
  let interpreter: Awaited<ReturnType<typeof findAmaranth>>;
  beforeAll(async () => {
    const { cpSync } = await import('node:fs');
    cpSync(path.join(folder, 'amaranth'), path.join(folder, 'only', 'amaranth'), { recursive: true });
    const found = (await findAmaranth(systemClock, { python: INTERPRETER }))!;
    // The stand-in is in the folder of the secret: the sandbox shows only the package itself.
    const searchPath = found.searchPath.map((one) => (one === folder ? path.join(folder, 'only') : one));
    interpreter = { ...found, searchPath };
  });

  const attempt = (action: string, what = 'it') => `
try:
    ${action}
    print("${what}", "has worked")
except Exception as error:
    print("${what} is refused:", type(error).__name__)
`;

  /** Each is tried by one program, in this order. */
  const FORBIDDEN = [
    ['read the users of the host', 'open("/etc/passwd").read()'],
    ['read the keys of the host', 'open("/etc/shadow").read()'],
    ['read a home folder', 'import os; os.listdir("/root"); os.listdir("/home")'],
    ['write into its own folder', 'open("mark", "w").write("x")'],
    ['write into the system', 'open("/usr/mark", "w").write("x")'],
    ['write to the root folder', 'open("/mark", "w").write("x")'],
    ['make a device', 'import os; os.mknod("/tmp/sda", 0o660 | 0o060000, os.makedev(8, 0))'],
    ['become root', 'import os; os.setuid(0)'],
    ['mount', 'import ctypes; assert ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0'],
    ['fill /tmp', 'import os; [open("/tmp/%d" % i, "wb").write(b"x" * 1000000) for i in range(200)]'],
    [
      'fill the shared memory',
      'import os; [open("/dev/shm/%d" % i, "wb").write(b"x" * 1000000) for i in range(200)]',
    ],
    ['hold more memory than it may', 'x = bytearray(2 ** 30)'],
  ] as const;

  test('cannot read the host, write, fill the memory, mount or become root', async () => {
    const { log } = await run(FORBIDDEN.map(([what, action]) => attempt(action, `to ${what}`)).join(''));
    const outcomes = [...log.matchAll(/to (.+) (is refused|has worked)/g)].map(([, what, how]) => [
      what,
      how,
    ]);
    expect(outcomes).toEqual(FORBIDDEN.map(([what]) => [what, 'is refused']));
  });

  test('cannot read files next to its own', async () => {
    const { log } = await run(attempt(`print(open(${JSON.stringify(secret)}).read())`));
    expect(log).toContain('it is refused: FileNotFoundError');
    expect(log).not.toContain('a secret');
  });

  test('cannot reach any network, not even this machine', async () => {
    const { log } = await run(
      attempt(`import socket; socket.create_connection(("127.0.0.1", ${port}), 2)`) +
        attempt('import socket; socket.create_connection(("1.1.1.1", 53), 2)'),
    );
    expect(log.match(/refused:/g)).toHaveLength(2);
    expect(knocks).toBe(0);
  });

  test('sees neither other processes nor the environment of the service', async () => {
    process.env['WISHBENCH_TEST_SECRET'] = 'in the environment';
    try {
      const { log } = await run(
        'import os\nprint("processes:", sorted(int(p) for p in os.listdir("/proc") if p.isdigit()))\nprint(dict(os.environ), os.getuid())',
      );
      expect(log).toMatch(/processes: \[[\d, ]{1,12}\]/);
      expect(log).not.toContain('in the environment');
      expect(log).toContain('65534');
    } finally {
      delete process.env['WISHBENCH_TEST_SECRET'];
    }
  });

  test('is killed at its deadline, with all its child processes', async () => {
    const mark = `wishbench_${process.pid}_${Date.now()}`;
    const { error, seconds } = await run(
      `import os, time\nfor i in range(3):\n    if os.fork() == 0:\n        import ctypes; ctypes.CDLL(None).prctl(15, b"${mark.slice(-15)}")\n        time.sleep(600)\nwhile True: pass`,
      { deadline: 1.5, memory: 256 * 2 ** 20 },
    );
    expect(error?.code).toBe('tool_deadline');
    expect(seconds).toBeLessThan(25);
    const { readdirSync, readFileSync } = await import('node:fs');
    const names = () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
          } catch {
            return '';
          }
        });
    // The kernel ends them at some later time.
    await expect.poll(names).not.toContain(mark.slice(-15));
  });

  test('is killed when it and its children exceed the memory limit', async () => {
    const { error, seconds } = await run(
      'import os, time\nfor i in range(8):\n    if os.fork() == 0:\n        x = bytearray(100000000)\n        time.sleep(600)\ntime.sleep(600)',
      { deadline: 30, memory: 256 * 2 ** 20 },
    );
    expect(error?.code).toBe('tool_memory');
    expect(seconds).toBeLessThan(15);
  });

  test('cannot flood the log or the service’s memory by printing', async () => {
    const { log, error } = await run('while True: print("x" * 1000)', { deadline: 3, memory: 256 * 2 ** 20 });
    expect(error?.code).toBe('tool_deadline');
    expect(log.length).toBeLessThan(9 * 2 ** 20);
  });

  test('cannot pass anything but RTLIL to the next tool', async () => {
    const { error } = await run(
      'import os\nfor fd in range(3, 20):\n    try: os.write(fd, b"exec -- touch /tmp/escaped\\n")\n    except OSError: pass\nos._exit(0)',
    );
    expect(['tool_failed', 'design_invalid', 'design_no_slave', undefined]).toContain(error?.code);
    expect(existsSync('/tmp/escaped')).toBe(false);
  });
});

test('rejects a design in Python without a sandbox', async () => {
  const source = prepareSource(Buffer.from(SLAVE), 'design.py');
  const error: BenchError = await readAmaranth(
    {
      python: { path: '/usr/bin/python3', version: '', folders: [], searchPath: [] },
      sandbox: { kind: 'missing', reason: 'bubblewrap (bwrap) is not installed' },
      clock: systemClock,
    },
    source,
    undefined,
    record(),
  ).then(
    () => expect.unreachable(),
    (reason: BenchError) => reason,
  );
  expect(error.code).toBe('tool_missing');
  expect(error.message).toContain('only in a sandbox');
  expect(error.remedy).toContain('bubblewrap');
});

test('without Amaranth the build fails with the packages to install', async () => {
  const { toolchain, dispose } = freshToolchain({ paths: { python: '/nowhere/python3' } });
  const error = await refusal(toolchain.build(requestOf(SLAVE, 'design.py'), record()));
  expect(error.code).toBe('tool_missing');
  expect(error.remedy).toMatch(/pip install amaranth|bubblewrap/);
  await dispose();
});

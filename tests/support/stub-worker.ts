import { appendFileSync, existsSync } from 'node:fs';
import { pause, systemClock } from '../../server/clock.ts';
import { createLogger } from '../../server/log.ts';
import type { Capability } from '../../server/toolchain/farm/messages.ts';
import { startWorker } from '../../server/toolchain/farm/worker.ts';
import type { WorkerTools } from '../../server/toolchain/farm/worker-tools.ts';
import { createToolchain } from '../../server/toolchain/index.ts';
import { fakeBitstream } from './fake-board.ts';
import { FakeToolchain } from './fake-toolchain.ts';

/** Options of a stub worker. */
export interface StubOptions {
  url: string;
  /** Folder of its tools; the starter removes it. */
  dataDir: string;
  name: string;
  slots: number;
  /** Seconds. */
  lease: number;
  /** Milliseconds of one build. */
  buildMs: number;
  /** Gets a line `NAME BUILD` at the end of every tool. */
  journal: string | null;
  /** Put in place of the digest of gateware and flow: a worker of another version. */
  flow: string | null;
  /** Comes to another build id than the bench. */
  otherIds: boolean;
  /** A further language that it offers. */
  language: Capability['language'] | null;
  /** A data directory with real results, in place of the stubs. */
  built: string | null;
  /** Every build logs lines, waits for this file if its source names none, and logs `behind the gate`. */
  gate: string | null;
}

/**
 * The real worker with tools that build nothing. Words in a source steer it: `kill-worker` ends the process in the
 * middle of the build, `sleep-N` takes N ms, `gate-PATH` waits for a file, and those of FakeToolchain.
 */
export default async function stubWorker([text = '{}']: string[]): Promise<void> {
  const options = JSON.parse(text) as StubOptions;
  const logger = createLogger('info', 2);
  const real = createToolchain({ dataDir: options.dataDir, logger });
  const fake = new FakeToolchain({ slots: 1000 });
  const tools: WorkerTools = {
    async capabilities() {
      const found: Capability[] = await real.capabilities();
      const { language } = options;
      const more = found.flatMap((one) =>
        language && one.language === 'verilog'
          ? [{ ...one, language, versions: { ...one.versions, [language]: 'stub' } }]
          : [],
      );
      return [...found.filter((one) => one.language !== language), ...more].map((one) => ({
        ...one,
        flow: options.flow ?? one.flow,
      }));
    },
    cachedBuild: (buildId) => (options.built === null ? Promise.resolve(null) : real.cachedBuild(buildId)),
    async build(request, context) {
      const source = new TextDecoder().decode(request.source);
      const sleep = Number(/sleep-(\d+)/.exec(source)?.[1] ?? options.buildMs);
      await pause(systemClock, sleep);
      const gate = /gate-(\S+)/.exec(source)?.[1] ?? options.gate ?? undefined;
      if (options.gate) for (let i = 1; i <= 300; i++) context.log('synthesis', `before the gate: ${i}`);
      while (gate !== undefined && !existsSync(gate) && !context.signal?.aborted)
        await pause(systemClock, 20);
      if (options.gate) context.log('place', 'behind the gate');
      if (source.includes('kill-worker')) process.kill(process.pid, 'SIGKILL');
      if (options.otherIds) await real.build({ ...request, expected: '0'.repeat(64) }, context);
      const fails = source.includes('fail-');
      const built = await (options.built === null || fails ? fake : real).build(request, context);
      const buildId = request.expected ?? built.buildId;
      if (options.journal) appendFileSync(options.journal, `${options.name} ${buildId}\n`);
      if (options.built !== null) return built;
      const bitstream = fakeBitstream(buildId);
      return { ...built, buildId, bitstream, report: { ...built.report, build_id: buildId } };
    },
    close: () => real.close(),
  };
  const { url: address, name, slots, lease } = options;
  const worker = await startWorker({
    address,
    name,
    tools,
    slots,
    lease,
    sharedBytes: 1 << 30,
    logger,
    clock: systemClock,
  });
  process.stdout.write('started\n');
  void worker.ready.then(() => process.stdout.write('ready\n'));
  process.on('SIGTERM', () => void worker.close().then(() => process.exit(0)));
  // The worker's timers must not keep the process alive.
  await new Promise(() => setInterval(() => {}, 1 << 30));
}

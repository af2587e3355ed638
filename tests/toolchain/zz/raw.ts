import { readFileSync } from 'node:fs';
import { createEmbeddedEngine } from '../../../server/toolchain/embedded/embedded-engine.ts';
import { silentLogger } from '../../../server/log.ts';
import { systemClock } from '../../../server/clock.ts';
const emb = createEmbeddedEngine({ logger: silentLogger, clock: systemClock, memoryLimit: 2048 * 2 ** 20 });
const src = readFileSync(process.env.SRC!, 'utf8');
for (const opts of process.env.OPTS!.split('|')) {
  const lines: string[] = []; const t = Date.now();
  let res = 'ok';
  try { await emb.run({ tool: 'yosys', args: ['-p', `read_slang -j 1 --single-unit --diag-json - ${opts} d.v; write_rtlil o.il`], files: { 'd.v': src }, outputs: ['o.il'], deadline: 60, onLine: (l: string) => lines.push(l) } as any); } catch (e: any) { res = e.code; }
  console.log(`--- ${opts}: ${res} ${Date.now() - t} ms`);
  console.log(lines.filter((l) => /ERROR|"(message|location|severity)"|Warning|Source line/.test(l)).slice(0, 12).join('\n'));
}
process.exit(0);

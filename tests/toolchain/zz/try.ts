import { readFileSync } from 'node:fs';
const { createEmbeddedEngine } = await import('../../../server/toolchain/embedded/embedded-engine.ts');
const { scanDesign } = await import('../../../server/toolchain/scan/scan.ts');
const { silentLogger } = await import('../../../server/log.ts');
const { systemClock } = await import('../../../server/clock.ts');
const { DEFAULT_SETTINGS } = await import('../../../server/contract/settings.ts');
const emb = createEmbeddedEngine({ logger: silentLogger, clock: systemClock, memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes });
const seen = 1; const raw = process.env.RAW === '1';
const engine = { ...emb, run: (r: any) => emb.run({ ...r, deadline: 300, onLine: (l: string) => { if (raw) console.log('   #', l); r.onLine?.(l); } }) };
const board = { id: 'virtual-hx8k', fpga: { family: 'ice40', part: 'hx8k', package: 'ct256' } };
const text = readFileSync(process.env.CASES, 'utf8');
for (const part of text.split(/^=== /m).slice(1)) {
  const [first, ...rest] = part.split('\n');
  const [what, filename = 'design.v'] = first.split(' @ ');
  const source = rest.join('\n');
  if (process.env.ONLY && !what.includes(process.env.ONLY)) continue;
  console.log('=== ' + what);
  try {
    const log: string[] = [];
    const s = await scanDesign({ source: new TextEncoder().encode(source), filename, board, options: {} } as any, engine as any, { log: (_: any, l: string) => log.push(l), progress() {} } as any);
    console.log('  ', s.outcome.kind, s.matched?.module ?? '');
    for (const d of s.diagnostics.slice(0, 8)) console.log(`    ${d.severity} ${d.code} ${d.line}:${d.column} ${d.module ?? ''} ${d.net ?? ''} ${d.message}`);
    if (process.env.LOG) console.log(log.map((l) => '    | ' + l).join('\n'));
  } catch (e: any) { console.log('   threw', e.code, e.message, e.remedy ?? '', (e.diagnostics ?? []).map((d: any) => d.message)); }
}
process.exit(0);

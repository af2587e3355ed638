import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';
import { compareRecords } from './recorded-designs/compare.ts';
import { findDesigns } from './recorded-designs/find-designs.ts';
import type { DesignRecord, NamedDesign, RecordedDesign, RecordingDepth } from './recorded-designs/record.ts';
import { DesignRecorder, NO_SLAVE } from './recorded-designs/recorder.ts';

const USAGE = `node run.mjs script tests/support/record-designs.ts OUT.json [FOLDER…] [options]
  Takes the examples, the corpus and the designs of the folders through the toolchain, and writes what became of each.
  What OUT.json.part has already is not done again: another state of the toolchain takes another OUT. Run \`npm run build\` first.
  --scan           no synthesis
  --build          place and route of the examples and the corpus
  --build-only TEXT  place and route also where the id has this in it
  --only TEXT      only designs that have this in their id
  --against FILE   prints how OUT.json differs from this record
`;

const readRecord = (file: string): DesignRecord => JSON.parse(readFileSync(file, 'utf8'));

/** See USAGE. */
export default async function recordDesigns(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      scan: { type: 'boolean', default: false },
      build: { type: 'boolean', default: false },
      'build-only': { type: 'string' },
      only: { type: 'string', default: '' },
      against: { type: 'string' },
    },
  });
  const [out, ...folders] = positionals;
  if (out === undefined) {
    process.stderr.write(USAGE);
    return 1;
  }
  const marked = values['build-only'];
  const depthOf = ({ id, built }: NamedDesign): RecordingDepth => {
    if ((values.build && built) || (marked !== undefined && id.includes(marked))) return 'build';
    return values.scan ? 'scan' : 'synthesis';
  };
  const designs = findDesigns(folders).filter(({ id }) => id.includes(values.only));
  const record = await recordAll(designs, `${out}.part`, depthOf);
  writeFileSync(out, `${JSON.stringify(record, null, 1)}\n`);
  process.stdout.write(summary(record));
  if (values.against !== undefined) process.stdout.write(compareRecords(readRecord(values.against), record));
  return 0;
}

const DEPTHS: readonly RecordingDepth[] = ['scan', 'synthesis', 'build'];

/** Whether a design is recorded to this depth, or as far as it goes. */
const reaches = ({ depth, outcome }: RecordedDesign, wanted: RecordingDepth): boolean =>
  DEPTHS.indexOf(depth) >= DEPTHS.indexOf(wanted) || outcome.stage === 'scan';

const keyOf = ({ id, digest }: Pick<NamedDesign, 'id' | 'digest'>): string => `${digest} ${id}`;

/** Earlier records of each design, as far as they go. */
function readPartial(file: string): Map<string, RecordedDesign> {
  const done = new Map<string, RecordedDesign>();
  if (!existsSync(file)) return done;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const one: RecordedDesign = JSON.parse(line);
    const earlier = done.get(keyOf(one));
    if (!earlier || reaches(one, earlier.depth)) done.set(keyOf(one), one);
  }
  return done;
}

/** @param partial gets a line for each finished design, and has those of an earlier run */
async function recordAll(
  designs: readonly NamedDesign[],
  partial: string,
  depthOf: (design: NamedDesign) => RecordingDepth,
): Promise<DesignRecord> {
  const done = readPartial(partial);
  const recorder = new DesignRecorder();
  try {
    // The tools are loaded by then, and the base SoC's share is known.
    const { area: base = {} } = await recorder.record(noSlave, 'synthesis');
    const recorded: RecordedDesign[] = [];
    for (const [at, design] of designs.entries()) {
      const depth = depthOf(design);
      let one = done.get(keyOf(design));
      if (!one || !reaches(one, depth)) {
        one = await recorder.record(design, depth);
        appendFileSync(partial, `${JSON.stringify(one)}\n`);
        const { kind, code = '' } = one.outcome;
        process.stderr.write(`${at + 1}/${designs.length} ${design.id} ${kind} ${code}\n`);
      }
      recorded.push(one);
    }
    return { versions: await recorder.versions(), base, designs: recorded };
  } finally {
    await recorder.close();
  }
}

const noSlave: NamedDesign = {
  ...{ id: 'nothing', filename: 'nothing.v', source: Buffer.from(NO_SLAVE), digest: '' },
  ...{ board: VIRTUAL_BOARD, options: {}, built: false },
};

function summary({ designs }: DesignRecord): string {
  const counts = new Map<string, number>();
  for (const { outcome } of designs) {
    const kind = outcome.code === undefined ? outcome.kind : `${outcome.kind}: ${outcome.code}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const lines = [...counts].sort(([, one], [, other]) => other - one);
  const seconds = designs.reduce((sum, one) => sum + one.scanMilliseconds, 0) / 1000;
  return `${designs.length} designs, ${seconds.toFixed(0)} s of scans\n${lines.map(([kind, count]) => `  ${count} ${kind}\n`).join('')}`;
}

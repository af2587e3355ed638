import type { DesignRecord, RecordedDesign } from './record.ts';

/** Share by which the area of the design, without the base SoC, or its clock may differ before it is listed. */
const AREA = 0.02;
const CLOCK = 0.05;
/** Cells that are no difference, however small the design is. */
const FEW_CELLS = 2;

const GROUPS = [
  'only in one record',
  'source',
  'outcome',
  'match',
  'addressing',
  'modules',
  'diagnostics',
  'signal names',
  'signal places',
  'area',
  'clock',
] as const;
type Group = (typeof GROUPS)[number];

/** A difference of one design, of one kind. */
interface Difference {
  group: Group;
  id: string;
  text: string;
}

/** How two records differ, for people: counts, then each difference by its kind, then sums of area and time. */
export function compareRecords(before: DesignRecord, now: DesignRecord): string {
  const byId = new Map(before.designs.map((design) => [design.id, design]));
  const differences: Difference[] = [];
  const pairs: [RecordedDesign, RecordedDesign][] = [];
  for (const design of now.designs) {
    const old = byId.get(design.id);
    byId.delete(design.id);
    if (!old) differences.push({ group: 'only in one record', id: design.id, text: 'new' });
    else if (old.digest !== design.digest)
      differences.push({ group: 'source', id: design.id, text: 'is another one: not compared' });
    else pairs.push([old, design]);
  }
  for (const id of byId.keys()) differences.push({ group: 'only in one record', id, text: 'missing' });
  for (const [old, design] of pairs)
    for (const [group, text] of differencesOf(old, design, before.base, now.base))
      differences.push({ group, id: design.id, text });
  const groups = GROUPS.map((group) => ({ group, all: differences.filter((one) => one.group === group) }));
  return [
    `${pairs.length} designs compared`,
    ...groups.map(({ group, all }) => `  ${all.length} ${group}`),
    ...groups.flatMap(({ group, all }) =>
      all.length === 0 ? [] : ['', `${group}:`, ...all.map(({ id, text }) => `  ${id}: ${text}`)],
    ),
    '',
    ...sums(pairs, before.base, now.base),
    '',
  ].join('\n');
}

type Base = DesignRecord['base'];

function* differencesOf(
  old: RecordedDesign,
  now: RecordedDesign,
  oldBase: Base,
  nowBase: Base,
): Generator<[Group, string]> {
  const scansAlone = old.depth === 'scan' || now.depth === 'scan';
  const outcome = ({ outcome: { kind, stage, code } }: RecordedDesign) =>
    stage === undefined || (stage === 'build' && scansAlone) ? 'builds' : `${kind} in ${stage}: ${code}`;
  const same = outcome(old) === outcome(now);
  if (!same) {
    const reasons = [now, old].flatMap((one) => one.outcome.message ?? []);
    yield ['outcome', `${outcome(old)} → ${outcome(now)}${reasons[0] ? ` (${reasons[0]})` : ''}`];
  }
  yield* matchDifferences(old, now);
  // A design that is refused for another reason, or no longer, has another list.
  const refusedLater = [old, now].some((one) => one.outcome.stage === 'build');
  if (same && !(refusedLater && scansAlone)) {
    const modules = listDifference(old.modules, now.modules);
    if (modules) yield ['modules', modules];
    const diagnostics = listDifference(wordsOf(old), wordsOf(now));
    if (diagnostics) yield ['diagnostics', diagnostics];
  }
  if (old.build && now.build) {
    const diagnostics = listDifference(old.build.diagnostics, now.build.diagnostics);
    if (diagnostics) yield ['diagnostics', `of the build: ${diagnostics}`];
  }
  if (old.signals && now.signals && old.signals.hash !== now.signals.hash) {
    const withoutPlace = ({ names }: { names: string[] }) => names.map((name) => name.split(' ')[0] ?? '');
    const names = listDifference(withoutPlace(old.signals), withoutPlace(now.signals));
    yield names
      ? ['signal names', `${old.signals.count} → ${now.signals.count}: ${names}`]
      : ['signal places', listDifference(old.signals.names, now.signals.names) ?? ''];
  }
  yield* areaDifferences(old, now, oldBase, nowBase);
  if (old.build?.fmax && now.build?.fmax && Math.abs(now.build.fmax / old.build.fmax - 1) > CLOCK)
    yield ['clock', `${old.build.fmax} → ${now.build.fmax} MHz (${share(old.build.fmax, now.build.fmax)})`];
}

const wordsOf = ({ diagnostics, outcome }: RecordedDesign): string[] => [
  ...diagnostics,
  ...(outcome.message === undefined ? [] : [outcome.message]),
];

function* matchDifferences(
  { match: old }: RecordedDesign,
  { match: now }: RecordedDesign,
): Generator<[Group, string]> {
  if (!old || !now) {
    if (old || now) yield ['match', `${old?.module ?? 'none'} → ${now?.module ?? 'none'}`];
    return;
  }
  const { addressing: oldAddressing, addressingReason: oldReason, ...oldRest } = old;
  const { addressing, addressingReason, ...rest } = now;
  if (oldAddressing !== addressing || oldReason !== addressingReason)
    yield ['addressing', `${oldAddressing} (${oldReason}) → ${addressing} (${addressingReason})`];
  const changed = (Object.keys(rest) as (keyof typeof rest)[]).filter(
    (key) => canonical(oldRest[key]) !== canonical(rest[key]),
  );
  if (changed.length > 0)
    yield [
      'match',
      changed.map((key) => `${key} ${canonical(oldRest[key])} → ${canonical(rest[key])}`).join('; '),
    ];
}

/** JSON in which the order of names does not matter. */
const canonical = (value: unknown): string =>
  JSON.stringify(
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

/** The difference of two lists; null if there is none. */
function listDifference(old: readonly string[], now: readonly string[]): string | null {
  const before = new Set(old);
  const after = new Set(now);
  const gone = [...before].filter((one) => !after.has(one)).map((one) => `-[${one}]`);
  const come = [...after].filter((one) => !before.has(one)).map((one) => `+[${one}]`);
  const all = [...gone, ...come];
  if (all.length === 0) return null;
  return `${gone.length} gone, ${come.length} new: ${[...gone.slice(0, 4), ...come.slice(0, 4)].join(' ')}`;
}

const own = (area: Record<string, number> | undefined, base: Base, resource: string): number =>
  (area?.[resource] ?? 0) - (base[resource] ?? 0);

function* areaDifferences(
  old: RecordedDesign,
  now: RecordedDesign,
  oldBase: Base,
  nowBase: Base,
): Generator<[Group, string]> {
  if (!old.area || !now.area) return;
  const resources = new Set([...Object.keys(old.area), ...Object.keys(now.area)]);
  const changed = [...resources].flatMap((resource) => {
    const was = own(old.area, oldBase, resource);
    const is = own(now.area, nowBase, resource);
    // A block RAM is large: each one counts.
    const few = resource === 'LUT' || resource === 'FF' || resource === 'carry' ? FEW_CELLS : 0;
    if (Math.abs(is - was) <= Math.max(few, AREA * was)) return [];
    return [`${resource} ${was} → ${is} (${share(was, is)})`];
  });
  if (changed.length > 0) yield ['area', changed.join(', ')];
}

const share = (old: number, now: number): string =>
  old === 0 ? 'new' : `${now >= old ? '+' : ''}${(100 * (now / old - 1)).toFixed(1)} %`;

function sums(
  pairs: readonly (readonly [RecordedDesign, RecordedDesign])[],
  oldBase: Base,
  nowBase: Base,
): string[] {
  const both = pairs.filter(([old, now]) => old.area && now.area);
  const area = ['LUT', 'FF', 'carry', 'BRAM'].map((resource) => {
    const was = both.reduce((sum, [old]) => sum + own(old.area, oldBase, resource), 0);
    const is = both.reduce((sum, [, now]) => sum + own(now.area, nowBase, resource), 0);
    return `  ${resource} ${was} → ${is} (${share(was, is)})`;
  });
  const built = pairs.filter(([old, now]) => old.build?.fmax && now.build?.fmax);
  const clocks = built.map(([old, now]) => (now.build?.fmax ?? 0) / (old.build?.fmax ?? 1));
  const mean = clocks.reduce((sum, ratio) => sum + ratio, 0) / Math.max(1, clocks.length);
  const slower = [...pairs]
    .map(([old, now]) => ({ id: now.id, was: old.scanMilliseconds, is: now.scanMilliseconds }))
    .sort((one, other) => other.is - other.was - (one.is - one.was))
    .filter(({ was, is }) => is > was)
    .slice(0, 10);
  return [
    `area of ${both.length} designs without the base SoC:`,
    ...area,
    `clock of ${built.length} builds: ${mean.toFixed(3)} of what it was on average`,
    `time of scans: ${seconds(pairs, 0)} → ${seconds(pairs, 1)} s, median ${median(pairs, 0)} → ${median(pairs, 1)} ms; slower most of all:`,
    ...slower.map(({ id, was, is }) => `  ${id} ${was} → ${is} ms`),
  ];
}

type Pair = readonly [RecordedDesign, RecordedDesign];
const seconds = (pairs: readonly Pair[], which: 0 | 1): string =>
  (pairs.reduce((sum, pair) => sum + pair[which].scanMilliseconds, 0) / 1000).toFixed(1);

function median(pairs: readonly Pair[], which: 0 | 1): number {
  const sorted = pairs.map((pair) => pair[which].scanMilliseconds).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

import { createHash } from 'node:crypto';
import { AuditEntry } from '../contract/bench/audit.ts';
import { checkOf } from '../contract/check.ts';

/** One file of the trail: a head line that names the entry before it, then one entry a line. */
export interface Segment {
  /** Bytes of whole lines; the rest of an unfinished write may follow. */
  bytes: number;
  /** The entry before its first one, by its head line. */
  after: { seq: number; chain: string };
  /** Newest seq and the chain's value after it. */
  seq: number;
  chain: string;
  /** The damage and its line; null when there is none. */
  problem: string | null;
  entries: AuditEntry[];
}

const NEWLINE = 0x0a;
/** The initial value of the chain. */
export const GENESIS = '0'.repeat(64);

const isEntry = checkOf(AuditEntry);

/** The chain's value after an entry: SHA-256 over the value before it and the entry's JSON, hex. */
export const link = (before: string, entry: string): string =>
  createHash('sha256').update(before).update('\n').update(entry).digest('hex');

/** The first line of a file: the entry before it. */
export const headLine = (seq: number, chain: string): string =>
  `${JSON.stringify({ audit: 1, after: seq, chain })}\n`;

/** An entry as it stands in a file; the chain's value is appended to the entry's own text. */
export const entryLine = (entry: string, chain: string): string => `{"entry":${entry},"chain":"${chain}"}\n`;

const LINE = /^\{"entry":(.*),"chain":"([0-9a-f]{64})"\}$/;

const HEAD = /^\{"audit":1,"after":(0|[1-9]\d{0,15}),"chain":"([0-9a-f]{64})"\}$/;

function headOf(line: string): { seq: number; chain: string } | null {
  const [, seq, chain] = HEAD.exec(line) ?? [];
  return seq === undefined || chain === undefined ? null : { seq: Number(seq), chain };
}

function entryOf(text: string): AuditEntry | null {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

/** Reads a file of the trail and checks its chain. It names damage and keeps the readable entries. */
export function readSegment(contents: Buffer): Segment {
  const bytes = contents.lastIndexOf(NEWLINE) + 1;
  const [first = '', ...lines] = contents.toString('utf8', 0, Math.max(0, bytes - 1)).split('\n');
  const head = headOf(first);
  const after = head ?? { seq: 0, chain: GENESIS };
  const segment: Segment = {
    bytes,
    after,
    ...after,
    problem: head ? null : 'its first line does not belong to the audit trail',
    entries: [],
  };
  for (const [i, line] of lines.entries()) {
    const wrong = (what: string) => {
      segment.problem ??= `line ${i + 2} ${what}`;
    };
    const [, text = '', chain = ''] = LINE.exec(line) ?? [];
    const entry = entryOf(text);
    if (!entry) {
      wrong('cannot be read');
      continue;
    }
    if (entry.seq !== segment.seq + 1) wrong(`is entry ${entry.seq} where ${segment.seq + 1} should be`);
    else if (link(segment.chain, text) !== chain) wrong(`(entry ${entry.seq}) was changed`);
    segment.seq = entry.seq;
    segment.chain = chain;
    segment.entries.push(entry);
  }
  return segment;
}

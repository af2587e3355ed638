import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { embeddedVersion } from '../../../../server/toolchain/engines/embedded/tool-packages.ts';
import { SOAK } from '../../soak.ts';
import { buildForBoard, designSource, UART_CONSTRAINTS } from './bridge.ts';
import { closeTools } from './tools.ts';

/** Package pins of pads.v. */
export const PAD_PINS = {
  ...{ rx: 'B10', b: 'A1', tx: 'B12', t0: 'C16', t1: 'D16', r0: 'E16', n0: 'F16', n1: 'G16', i0: 'R16' },
  ...{ l0: 'L1', o0: 'A15', o1: 'A16', o2: 'B16' },
};
const PAD_CONSTRAINTS = Object.entries({ clk: 'J3', ...PAD_PINS })
  .map(([port, pin]) => `set_io ${port} ${pin}\n`)
  .join('');

/**
 * Designs of the virtual board whose bitstreams are stored next to the tests as the tools made them: file in designs/, top
 * module, constraints. Making one takes 3 s of the processor, and the tests begin after it.
 */
const RECORDED = {
  bridge: ['uart-bridge.v', 'bridge', UART_CONSTRAINTS],
  ring: ['ring.v', 'ring', UART_CONSTRAINTS],
  eager: ['eager.v', 'eager', UART_CONSTRAINTS],
  pads: ['pads.v', 'pads', PAD_CONSTRAINTS],
  pll: ['pll.v', 'top', UART_CONSTRAINTS],
  warmboot: ['warmboot.v', 'top', UART_CONSTRAINTS],
  'double-rate': ['double-rate.v', 'top', UART_CONSTRAINTS],
  contention: ['contention.v', 'top', UART_CONSTRAINTS],
  oscillation: ['oscillation.v', 'top', UART_CONSTRAINTS],
} as const;
type RecordedBitstream = keyof typeof RECORDED;

const NAMES = Object.keys(RECORDED) as RecordedBitstream[];
/** How the files come about. */
const REMEDY = 'Run `npm run generate -- bitstreams`.';
const FOLDER = new URL('./designs/bitstreams/', import.meta.url);
/** Bytes of the identity, which comes before the bitstream. */
const IDENTITY_BYTES = 32;

const fileOf = (name: RecordedBitstream): URL => new URL(`${name}.br`, FOLDER);

/** SHA-256 of the design and the versions of its tools. */
function identityOf(name: RecordedBitstream): string {
  const [file, ...more] = RECORDED[name];
  const tools = (['yosys', 'nextpnr-ice40', 'icepack'] as const).map(embeddedVersion);
  return createHash('sha256')
    .update(JSON.stringify([...tools, designSource(file), ...more]))
    .digest('hex');
}

function build(name: RecordedBitstream): Promise<Uint8Array> {
  const [file, top, constraints] = RECORDED[name];
  return buildForBoard(designSource(file), top, constraints);
}

function readRecording(name: RecordedBitstream): { identity: string; bitstream: Uint8Array } | null {
  if (!existsSync(fileOf(name))) return null;
  const bytes = brotliDecompressSync(readFileSync(fileOf(name)));
  return {
    identity: bytes.toString('hex', 0, IDENTITY_BYTES),
    bitstream: bytes.subarray(IDENTITY_BYTES),
  };
}

/** Name of a design → what its file was recorded from. */
export const recordedBitstreams = (): Record<string, string | undefined> =>
  Object.fromEntries(NAMES.map((name) => [name, readRecording(name)?.identity]));

/** The same, of today's sources and tools. */
export const currentBitstreams = (): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [name, identityOf(name)]));

/** Builds the designs whose files are out of date, and writes these. */
export async function recordBitstreams(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const name of NAMES.filter((one) => readRecording(one)?.identity !== identityOf(one))) {
    const recording = Buffer.concat([Buffer.from(identityOf(name), 'hex'), await build(name)]);
    writeFileSync(fileOf(name), brotliCompressSync(recording));
  }
  await closeTools();
}

/**
 * The bitstream of a design, as recorded; in `npm run soak` as the tools make it now.
 * @throws Error when it was recorded of another source or by other tools, or when the tools make another one
 */
export async function recordedBitstream(name: RecordedBitstream): Promise<Uint8Array> {
  const recording = readRecording(name);
  if (recording?.identity !== identityOf(name))
    throw new Error(`The bitstream of ${name} is of another source, or of other tools. ${REMEDY}`);
  if (SOAK && !Buffer.from(await build(name)).equals(recording.bitstream))
    throw new Error(`The tools do not make the bitstream of ${name} that was recorded. ${REMEDY}`);
  return recording.bitstream;
}

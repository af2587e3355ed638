import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../../contract/check.ts';
import { BuildReport } from '../../contract/designs/uploads.ts';

/** A finished build as it is stored and sent. */
export interface CachedBuild {
  bitstream: Uint8Array;
  /** Null for a bitstream without a design. */
  report: BuildReport | null;
  /** Log lines of the build, each with its stage: `synthesis: …`. */
  log: string;
  /** Encoded names of the design's signals; null where there are none. */
  symbols: Uint8Array | null;
  /** Encoded places of the design's cells; null where they are unknown. */
  floorplan: Uint8Array | null;
}

const Size = Type.Integer({ minimum: 0 });
const Header = Type.Object(
  {
    bitstream: Size,
    report: Size,
    log: Size,
    symbols: Type.Union([Type.Null(), Size]),
    floorplan: Type.Union([Type.Null(), Size]),
  },
  { additionalProperties: false },
);
const isHeader = checkOf(Header);
const isReport = checkOf(BuildReport);

/** Encodes a build: a line of JSON with the sizes of the parts, then the parts. */
export function encodeBuild({ bitstream, report, log, symbols, floorplan }: CachedBuild): Buffer {
  const [reportJson, logText] = [JSON.stringify(report), log].map((text) => Buffer.from(text)) as [
    Buffer,
    Buffer,
  ];
  const header: Static<typeof Header> = {
    bitstream: bitstream.length,
    report: reportJson.length,
    log: logText.length,
    symbols: symbols?.length ?? null,
    floorplan: floorplan?.length ?? null,
  };
  const parts = [bitstream, reportJson, logText, symbols, floorplan].filter((part) => part !== null);
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...parts]);
}

/** Reverses encodeBuild. @throws Error when the bytes are damaged or of another version */
export function decodeBuild(bytes: Buffer): CachedBuild {
  let at = bytes.indexOf('\n') + 1;
  const header = parseAs(bytes.subarray(0, at).toString(), isHeader);
  if (header === null) throw new Error('it is damaged or of another version');
  const part = (size: number) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  const partOrNull = (size: number | null) => (size === null ? null : part(size));
  const bitstream = part(header.bitstream);
  const json = part(header.report).toString();
  const report = json === 'null' ? null : parseAs(json, isReport);
  if (json !== 'null' && report === null) throw new Error('its report is damaged or of another version');
  const log = part(header.log).toString();
  const [symbols, floorplan] = [partOrNull(header.symbols), partOrNull(header.floorplan)];
  if (at !== bytes.length) throw new Error('it is damaged');
  return { bitstream, report, log, symbols, floorplan };
}

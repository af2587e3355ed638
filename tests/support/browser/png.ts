import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Pixels of an image, 3 bytes each. */
interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;

const paeth = (a: number, b: number, c: number): number => {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

/** Decodes a PNG as Chromium writes them: 8 bits, RGB or RGBA, not interlaced (PNG specification, section 9). */
export function decodePng(png: Buffer): Pixels {
  let [width, height, channels] = [0, 0, 3];
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      channels = body[9] === 6 ? 4 : 3;
    } else if (type === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rgb = new Uint8Array(width * height * 3);
  let before = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)];
    const line = new Uint8Array(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const left = x >= channels ? (line[x - channels] as number) : 0;
      const up = before[x] as number;
      const corner = x >= channels ? (before[x - channels] as number) : 0;
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      line[x] = (line[x] as number) + predicted;
    }
    for (let x = 0; x < width; x += 1)
      rgb.set(line.subarray(x * channels, x * channels + 3), (y * width + x) * 3);
    before = line;
  }
  return { width, height, rgb };
}

const chunk = (type: string, body: Uint8Array): Buffer => {
  const out = Buffer.alloc(12 + body.length);
  out.writeUInt32BE(body.length, 0);
  out.write(type, 4, 'latin1');
  out.set(body, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
  return out;
};

/** Colours whose channels agree in their upper five bits are one: shades of the same smoothed edge. */
const bucketOf = (colour: number): number => colour & 0xf8f8f8;

const distance = (a: number, b: number): number =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;

/**
 * A palette of the most frequent colour of each of the most frequent buckets, so that a rare but meaningful colour,
 * such as a state's, keeps its place next to the many shades of grey text.
 */
function quantise({ rgb }: Pixels): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  const buckets = new Map<number, { colour: number; count: number }>();
  for (const [colour, count] of byCount) {
    const bucket = buckets.get(bucketOf(colour));
    if (bucket) bucket.count += count;
    else buckets.set(bucketOf(colour), { colour, count });
  }
  const palette = [...buckets.values()]
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_COLOURS)
    .map(({ colour }) => colour);
  const indexOf = new Map<number, number>();
  for (const [colour] of byCount) {
    let nearest = 0;
    for (let index = 1; index < palette.length; index += 1)
      if (distance(colour, palette[index] as number) < distance(colour, palette[nearest] as number))
        nearest = index;
    indexOf.set(colour, nearest);
  }
  return { palette, indexOf };
}

/** The same picture with at most 256 colours: a third of the size, and to the eye the same for a user interface. */
export function shrinkPng(png: Buffer): Buffer {
  const pixels = decodePng(png);
  const { width, height, rgb } = pixels;
  const { palette, indexOf } = quantise(pixels);
  const raw = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 3;
      const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
      raw[y * (width + 1) + 1 + x] = indexOf.get(colour) ?? 0;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Uint8Array.from(
    palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(raw, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ]);
}

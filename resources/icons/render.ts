import { readFile, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { resourcePath } from '../../server/paths.ts';

/** Sizes of the PNG entries in an .ico, pixels. */
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256];
/** Type codes of PNG entries in an .icns by their size in pixels (Apple's icns element types). */
const ICNS_TYPES: [string, number][] = [
  ['icp4', 16],
  ['icp5', 32],
  ['icp6', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
];
const LINUX_SIZES = [16, 32, 48, 64, 128, 256, 512];

/** An .ico file: a directory of 16-byte entries, then the PNG files themselves. */
function ico(pngs: Map<number, Buffer>): Buffer {
  const header = Buffer.alloc(6 + 16 * ICO_SIZES.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(ICO_SIZES.length, 4);
  const bodies: Buffer[] = [];
  let offset = header.length;
  ICO_SIZES.forEach((size, index) => {
    const png = pngs.get(size) as Buffer;
    const at = 6 + 16 * index;
    header.writeUInt8(size % 256, at); // 0 stands for 256
    header.writeUInt8(size % 256, at + 1);
    header.writeUInt16LE(1, at + 4);
    header.writeUInt16LE(32, at + 6);
    header.writeUInt32LE(png.length, at + 8);
    header.writeUInt32LE(offset, at + 12);
    offset += png.length;
    bodies.push(png);
  });
  return Buffer.concat([header, ...bodies]);
}

/** An .icns file: `icns`, its length, then elements of type, length and PNG. */
function icns(pngs: Map<number, Buffer>): Buffer {
  const elements = ICNS_TYPES.map(([type, size]) => {
    const png = pngs.get(size) as Buffer;
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32BE(png.length + 8, 4);
    return Buffer.concat([head, png]);
  });
  const body = Buffer.concat(elements);
  const head = Buffer.alloc(8);
  head.write('icns', 'latin1');
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}

/** Draws every icon file from the two SVGs: `node run.mjs script resources/icons/render.ts`. */
export default async function render(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  const page = await browser.newPage();
  const draw = async (svg: string, size: number): Promise<Buffer> => {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
    );
    return page.screenshot({ omitBackground: true });
  };
  const icon = await readFile(resourcePath('icons', 'icon.svg'), 'utf8');
  const pngs = new Map<number, Buffer>();
  for (const size of new Set([...ICO_SIZES, ...LINUX_SIZES, 1024])) pngs.set(size, await draw(icon, size));
  for (const size of LINUX_SIZES)
    await writeFile(resourcePath('icons', 'linux', `${size}x${size}.png`), pngs.get(size) as Buffer);
  await writeFile(resourcePath('icons', 'icon.ico'), ico(pngs));
  await writeFile(resourcePath('icons', 'icon.icns'), icns(pngs));
  const tray = await readFile(resourcePath('icons', 'tray.svg'), 'utf8');
  await writeFile(resourcePath('icons', 'tray.png'), await draw(tray, 16));
  await writeFile(resourcePath('icons', 'tray@2x.png'), await draw(tray, 32));
  await browser.close();
}

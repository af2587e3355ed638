/** A pixel of ImageData as one little-endian word: 0xAABBGGRR. */
export type Pixel = number;

export const pixelOf = (red: number, green: number, blue: number): Pixel =>
  ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** Coverage of each pixel of a character, 0 to 255, row by row. */
export interface Glyphs {
  /** Width of every character, pixels. */
  readonly width: number;
  readonly height: number;
  of(character: string): Uint8Array;
}

/** Mixes two pixels; `share` of 255 is that of `to`. */
function mixed(from: Pixel, to: Pixel, share: number): Pixel {
  const rest = 255 - share;
  const red = ((from & 0xff) * rest + (to & 0xff) * share) / 255;
  const green = (((from >>> 8) & 0xff) * rest + ((to >>> 8) & 0xff) * share) / 255;
  const blue = (((from >>> 16) & 0xff) * rest + ((to >>> 16) & 0xff) * share) / 255;
  return pixelOf(red & 0xff, green & 0xff, blue & 0xff);
}

/** Up to this width, setting pixels takes less time than a call of `fill`: thousands of edges are one pixel wide. */
const NARROW = 16;

/**
 * Pixels to draw into directly. A canvas has a cost for each of thousands of paths and texts; here only pixels cost.
 */
export class Surface {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array;

  /** @param pixels `width` × `height`, row by row */
  constructor(width: number, height: number, pixels: Uint32Array) {
    this.width = width;
    this.height = height;
    this.pixels = pixels;
  }

  /** Fills whole pixels, clipped to the surface. */
  rect(x: number, y: number, width: number, height: number, colour: Pixel): void {
    const left = Math.max(0, x);
    const right = Math.min(this.width, x + width);
    const bottom = Math.min(this.height, y + height);
    if (right <= left) return;
    const { pixels } = this;
    for (let row = Math.max(0, y); row < bottom; row++) {
      const end = row * this.width + right;
      const start = row * this.width + left;
      if (right - left > NARROW) pixels.fill(colour, start, end);
      else for (let at = start; at < end; at++) pixels[at] = colour;
    }
  }

  /**
   * Draws a text up to `right`, cut with an ellipsis if needed.
   * @returns the end of the text; `x` without room
   */
  text(text: string, x: number, y: number, right: number, colour: Pixel, glyphs: Glyphs): number {
    const room = Math.floor((right - x) / glyphs.width);
    if (room < 1) return x;
    const shown = text.length <= room ? text : room < 2 ? '' : `${text.slice(0, room - 1)}…`;
    let at = x;
    for (const character of shown) {
      this.#glyph(character, at, y, colour, glyphs);
      at += glyphs.width;
    }
    return at;
  }

  #glyph(character: string, x: number, y: number, colour: Pixel, glyphs: Glyphs): void {
    const { width, height } = glyphs;
    if (character === ' ' || x >= this.width || x + width <= 0 || y >= this.height || y + height <= 0) return;
    const shape = glyphs.of(character);
    for (let row = Math.max(0, -y); row < height && y + row < this.height; row++)
      for (let column = Math.max(0, -x); column < width && x + column < this.width; column++) {
        const share = shape[row * width + column] ?? 0;
        if (share === 0) continue;
        const at = (y + row) * this.width + x + column;
        this.pixels[at] = share === 255 ? colour : mixed(this.pixels[at] ?? 0, colour, share);
      }
  }
}

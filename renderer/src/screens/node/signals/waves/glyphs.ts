import type { Glyphs } from './surface.ts';

/** Maximum characters in the cache; names of values may contain any. */
const MAX_CHARACTERS = 1000;

/** The characters of a font, each rendered once by the browser. */
export class CanvasGlyphs implements Glyphs {
  readonly width: number;
  readonly height: number;
  readonly #context: CanvasRenderingContext2D;
  readonly #shapes = new Map<string, Uint8Array>();

  /** @param size of the font, device pixels */
  constructor(family: string, size: number) {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('This browser draws nothing.');
    const font = `${size}px ${family}`;
    context.font = font;
    this.width = Math.max(1, Math.round(context.measureText('0').width));
    this.height = Math.ceil(size * 1.3);
    canvas.width = this.width;
    canvas.height = this.height;
    // A canvas loses its font on a change of size.
    context.font = font;
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    this.#context = context;
  }

  of(character: string): Uint8Array {
    const known = this.#shapes.get(character);
    if (known) return known;
    const { width, height } = this;
    this.#context.clearRect(0, 0, width, height);
    this.#context.fillText(character, width / 2, height / 2, width);
    const { data } = this.#context.getImageData(0, 0, width, height);
    const shape = new Uint8Array(width * height);
    for (let at = 0; at < shape.length; at++) shape[at] = data[4 * at + 3] ?? 0;
    if (this.#shapes.size >= MAX_CHARACTERS) this.#shapes.clear();
    this.#shapes.set(character, shape);
    return shape;
  }
}

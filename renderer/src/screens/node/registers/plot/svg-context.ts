// A drawing surface that writes SVG.
type Part = Pick<
  CanvasRenderingContext2D,
  | ('beginPath' | 'moveTo' | 'lineTo' | 'stroke' | 'fill' | 'rect' | 'clip' | 'save' | 'restore')
  | ('clearRect' | 'fillRect' | 'strokeRect' | 'fillText' | 'setLineDash')
  | ('font' | 'lineWidth' | 'strokeStyle' | 'fillStyle' | 'textAlign' | 'textBaseline' | 'globalAlpha')
>;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** Pixels with at most two decimals. */
const px = (value: number): string => String(Math.round(value * 100) / 100);

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' };
/** How far a text's base line is below the given point, in em. */
const BASE_LINES: Partial<Record<CanvasTextBaseline, number>> = { top: 0.85, middle: 0.35 };

/** The part of a canvas that the plot uses, as elements of SVG. */
export class SvgContext implements Part {
  font = '11px monospace';
  lineWidth = 1;
  strokeStyle: string = 'black';
  fillStyle: string = 'black';
  textAlign: CanvasTextAlign = 'left';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  globalAlpha = 1;
  readonly #elements: string[] = [];
  #path: string[] = [];
  #dash: readonly number[] = [];
  /** Groups that are open since each `save`. */
  readonly #groups: number[] = [];
  #clips = 0;

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${px(x)} ${px(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.#path.push(`L${px(x)} ${px(y)}`);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(`M${px(x)} ${px(y)}h${px(width)}v${px(height)}h${px(-width)}z`);
  }

  setLineDash(dash: number[]): void {
    this.#dash = dash;
  }

  stroke(): void {
    this.#add(`<path d="${this.#path.join('')}" fill="none" ${this.#stroke}/>`);
  }

  fill(): void {
    this.#add(`<path d="${this.#path.join('')}" ${this.#fill}/>`);
  }

  clip(): void {
    this.#clips += 1;
    const id = `clip-${this.#clips}`;
    this.#add(
      `<clipPath id="${id}"><path d="${this.#path.join('')}"/></clipPath><g clip-path="url(#${id})">`,
    );
    const depth = this.#groups.length - 1;
    if (depth >= 0) this.#groups[depth] = (this.#groups[depth] ?? 0) + 1;
  }

  save(): void {
    this.#groups.push(0);
  }

  restore(): void {
    this.#add('</g>'.repeat(this.#groups.pop() ?? 0));
  }

  /** An SVG begins empty. */
  clearRect(): void {}

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#add(`<rect ${this.#box(x, y, width, height)} ${this.#fill}/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    if (width === 0 || height === 0)
      this.#add(`<path d="M${px(x)} ${px(y)}h${px(width)}v${px(height)}" fill="none" ${this.#stroke}/>`);
    else this.#add(`<rect ${this.#box(x, y, width, height)} fill="none" ${this.#stroke}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const size = Number.parseFloat(/([\d.]+)px/.exec(this.font)?.[1] ?? '11');
    const base = y + size * (BASE_LINES[this.textBaseline] ?? 0);
    this.#add(
      `<text x="${px(x)}" y="${px(base)}" text-anchor="${ANCHORS[this.textAlign] ?? 'start'}" ${this.#fill}>${escaped(text)}</text>`,
    );
  }

  /** The drawing on a background. Sizes in CSS pixels. */
  toSvg(width: number, height: number, background: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" ` +
      `viewBox="0 0 ${px(width)} ${px(height)}" font-size="11" font-family="ui-monospace, monospace">\n` +
      `<rect width="100%" height="100%" fill="${escaped(background)}"/>\n${this.#elements.join('\n')}\n</svg>\n`
    );
  }

  /** Everything from here on is so much lower, CSS pixels; 0 ends that. */
  move(down: number): void {
    this.#add(down === 0 ? '</g>' : `<g transform="translate(0 ${px(down)})">`);
  }

  #add(element: string): void {
    if (element !== '') this.#elements.push(element);
  }

  #box(x: number, y: number, width: number, height: number): string {
    return `x="${px(x)}" y="${px(y)}" width="${px(Math.max(0, width))}" height="${px(Math.max(0, height))}"`;
  }

  get #fill(): string {
    return `fill="${escaped(this.fillStyle)}"${this.#alpha}`;
  }

  get #stroke(): string {
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(' ')}"` : '';
    return `stroke="${escaped(this.strokeStyle)}" stroke-width="${px(this.lineWidth)}"${dash}${this.#alpha}`;
  }

  get #alpha(): string {
    return this.globalAlpha === 1 ? '' : ` opacity="${this.globalAlpha}"`;
  }
}

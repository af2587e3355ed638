import { type Chip, type ColourClass, middleOf, rectOf } from './chip.ts';
import type { View } from './view.ts';

/** The contents of a chip's picture. */
export interface ChipPicture {
  chip: Chip;
  view: View;
  classes: readonly ColourClass[];
  /** Colour class of each cell. */
  of: Uint8Array;
  /** Cells along a path, in order. */
  path: readonly number[];
  /** The module to highlight; undefined for all. */
  module: number | undefined;
  /** The cell under the pointer or the keyboard. */
  cell: number | undefined;
}

/** Colours of the theme by token. */
export type Colours = (token: string) => string;

/** Opacity of the bench's cells, and of those that are not highlighted. */
const PALE = 0.45;
const HIDDEN = 0.12;

/** Draws the whole picture and replaces the previous one. Sizes in CSS pixels. */
export function drawChip(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  picture: ChipPicture,
  colour: Colours,
): void {
  context.globalAlpha = 1;
  context.fillStyle = colour('sunken');
  context.fillRect(0, 0, width, height);
  drawTiles(context, width, height, picture, colour);
  drawCells(context, width, height, picture, colour);
  drawPath(context, picture, colour);
  if (picture.cell === undefined) return;
  const { x, y, width: wide, height: high } = rectOf(picture.chip, picture.cell);
  const { scale } = picture.view;
  context.strokeStyle = colour('ink');
  context.lineWidth = 2;
  context.strokeRect(
    picture.view.x + x * scale - 2,
    picture.view.y + y * scale - 2,
    wide * scale + 4,
    high * scale + 4,
  );
}

/** The visible tiles: ranges of columns and rows from the upper left. */
function inSight({ chip, view }: ChipPicture, width: number, height: number) {
  return {
    left: Math.max(0, Math.floor(-view.x / view.scale)),
    right: Math.min(chip.width - 1, Math.floor((width - view.x) / view.scale)),
    top: Math.max(0, Math.floor(-view.y / view.scale)),
    bottom: Math.min(chip.height - 1, Math.floor((height - view.y) / view.scale)),
  };
}

const TILE_TOKENS: Readonly<Record<string, string>> = {
  L: 'panel',
  R: 'accent-soft',
  I: 'hover',
  D: 'busy-soft',
};

function drawTiles(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  picture: ChipPicture,
  colour: Colours,
): void {
  const { chip, view } = picture;
  const { left, right, top, bottom } = inSight(picture, width, height);
  const gap = Math.min(2, view.scale * 0.06);
  for (const [letter, token] of Object.entries(TILE_TOKENS)) {
    context.fillStyle = colour(token);
    for (let y = top; y <= bottom; y++) {
      const row = chip.plan.tiles[chip.height - 1 - y] ?? '';
      for (let x = left; x <= right; x++)
        if (row[x] === letter)
          context.fillRect(
            view.x + x * view.scale + gap / 2,
            view.y + y * view.scale + gap / 2,
            view.scale - gap,
            view.scale - gap,
          );
    }
  }
}

function drawCells(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  picture: ChipPicture,
  colour: Colours,
): void {
  const { chip, view, classes, of, module } = picture;
  const { rects, plan } = chip;
  const { scale, x: left, y: top } = view;
  // One colour after the other: changing it costs more than another look at every cell.
  classes.forEach((one, index) => {
    context.fillStyle = colour(one.token);
    for (const chosen of module === undefined ? [true] : [false, true]) {
      context.globalAlpha = !chosen ? HIDDEN : one.of === 'bench' && module === undefined ? PALE : 1;
      for (let cell = 0; cell < of.length; cell++) {
        if (of[cell] !== index) continue;
        if (module !== undefined && (plan.cells[cell]?.module === module) !== chosen) continue;
        const x = left + (rects[4 * cell] ?? 0) * scale;
        const y = top + (rects[4 * cell + 1] ?? 0) * scale;
        const wide = (rects[4 * cell + 2] ?? 0) * scale;
        const high = (rects[4 * cell + 3] ?? 0) * scale;
        if (x > width || y > height || x + wide < 0 || y + high < 0) continue;
        context.fillRect(x, y, wide, high);
      }
    }
  });
  context.globalAlpha = 1;
}

function drawPath(
  context: CanvasRenderingContext2D,
  { chip, view, path }: ChipPicture,
  colour: Colours,
): void {
  const points = path.map((cell) => {
    const { x, y } = middleOf(chip, cell);
    return { x: view.x + x * view.scale, y: view.y + y * view.scale };
  });
  const [first, ...others] = points;
  const last = points.at(-1);
  if (!first || !last) return;
  context.lineJoin = 'round';
  for (const [token, wide] of [
    ['panel', 5],
    ['ink', 2.25],
  ] as const) {
    context.strokeStyle = colour(token);
    context.lineWidth = wide;
    context.beginPath();
    context.moveTo(first.x, first.y);
    for (const { x, y } of others) context.lineTo(x, y);
    context.stroke();
  }
  // It begins at a disc and ends at a square.
  context.fillStyle = colour('ink');
  context.beginPath();
  context.arc(first.x, first.y, 5, 0, 2 * Math.PI);
  context.fill();
  context.fillRect(last.x - 4.5, last.y - 4.5, 9, 9);
}

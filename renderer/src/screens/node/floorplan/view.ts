/** What of the chip is in sight. */
export interface View {
  /** Pixels a tile. */
  scale: number;
  /** Where the chip's upper left corner is, pixels. */
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

/** Pixels around the whole chip. */
const MARGIN = 12;
/** Pixels a tile at the most: a logic cell is as high as a line of text then. */
const LARGEST = 160;

/** The whole chip in sight. */
export function fitted(chip: Size, area: Size): View {
  const scale = Math.max(
    1,
    Math.min((area.width - 2 * MARGIN) / chip.width, (area.height - 2 * MARGIN) / chip.height),
  );
  return {
    scale,
    x: (area.width - scale * chip.width) / 2,
    y: (area.height - scale * chip.height) / 2,
  };
}

/** The chip does not leave sight, and is in the middle of what is larger than it. */
export function within({ scale, x, y }: View, chip: Size, area: Size): View {
  const held = (at: number, length: number, room: number): number => {
    if (length + 2 * MARGIN <= room) return (room - length) / 2;
    return Math.min(MARGIN, Math.max(room - length - MARGIN, at));
  };
  return {
    scale,
    x: held(x, scale * chip.width, area.width),
    y: held(y, scale * chip.height, area.height),
  };
}

/** Nearer or farther, around a place that stays where it is. Pixels. */
export function zoomed(
  view: View,
  factor: number,
  around: { x: number; y: number },
  chip: Size,
  area: Size,
): View {
  const least = fitted(chip, area).scale;
  const scale = Math.min(Math.max(LARGEST, least), Math.max(least, view.scale * factor));
  const by = scale / view.scale;
  return within(
    { scale, x: around.x - (around.x - view.x) * by, y: around.y - (around.y - view.y) * by },
    chip,
    area,
  );
}

/** Moved as far as it takes for a place of the chip to be in sight. Tiles. */
export function showing(view: View, { x, y }: { x: number; y: number }, chip: Size, area: Size): View {
  const moved = (at: number, place: number, room: number): number => {
    const pixel = at + place * view.scale;
    const edge = Math.min(48, room / 4);
    if (pixel < edge) return at + edge - pixel;
    return pixel > room - edge ? at + room - edge - pixel : at;
  };
  const placed = { ...view, x: moved(view.x, x, area.width), y: moved(view.y, y, area.height) };
  return within(placed, chip, area);
}

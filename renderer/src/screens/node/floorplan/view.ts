/** The visible part of the chip. */
export interface View {
  /** Pixels per tile. */
  scale: number;
  /** Position of the chip's upper left corner, pixels. */
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

/** Margin around the whole chip, pixels. */
const MARGIN = 12;
/** Maximum pixels per tile: a logic cell is then as high as a line of text. */
const LARGEST = 160;

/** Fits the whole chip into an area. */
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

/** Keeps the chip visible, and centres it in a larger area. */
export function within({ scale, x, y }: View, chip: Size, area: Size): View {
  const limited = (at: number, length: number, room: number): number => {
    if (length + 2 * MARGIN <= room) return (room - length) / 2;
    return Math.min(MARGIN, Math.max(room - length - MARGIN, at));
  };
  return {
    scale,
    x: limited(x, scale * chip.width, area.width),
    y: limited(y, scale * chip.height, area.height),
  };
}

/** Zooms around a fixed place, in pixels. */
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

/** Scrolls just far enough to show a place, in tiles. */
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

import type { Booking } from './shares.ts';
import { WEEKDAYS } from './words.ts';

/** A booking as people write it: `tuesday 14:00-16:00 5`; undefined for anything else. */
export function parseBooking(text: string): Booking | undefined {
  const [, name, from = '', to = '', nodes] =
    /^\s*([a-z]+)\s+(\d\d:\d\d)\s*[-–]\s*(\d\d:\d\d)\s+(\d{1,2})\s*$/i.exec(text) ?? [];
  const day = WEEKDAYS.find((one) => one === name?.toLowerCase());
  return day && from < to ? { day, from, to, nodes: Number(nodes) } : undefined;
}

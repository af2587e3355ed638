import { type NumberField, scaleOf } from '../../../../server/contract/setting-fields.ts';
import { text } from '../../text/text.ts';

const t = text.settings;

/** The text of a stored number, with more digits only if it is no whole multiple of the unit. */
export function shownNumber(field: NumberField, value: number | null): string {
  if (value === null) return '';
  const scaled = value / scaleOf(field);
  return Number.isInteger(scaled) ? String(scaled) : scaled.toFixed(3);
}

/** Parses a typed number, or returns its problem. */
export function parseNumber(
  field: NumberField,
  typed: string,
): { value: number | null } | { problem: string } {
  const trimmed = typed.trim();
  if (trimmed === '' && field.empty !== undefined) return { value: null };
  if (!/^\d+(\.\d+)?$/.test(trimmed)) return { problem: t.notNumber };
  const number = Number(trimmed);
  const scale = scaleOf(field);
  if (scale === 1 && !Number.isInteger(number)) return { problem: t.notNumber };
  const [min, max] = [field.min / scale, field.max / scale];
  if (number < min || number > max) return { problem: t.outOfRange(String(min), String(max)) };
  return { value: Math.round(number * scale) };
}

const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** The non-empty lines of a text. */
export const toLines = (typed: string): string[] =>
  typed
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const hostsProblem = (hosts: readonly string[]): string | undefined =>
  hosts.every((host) => HOST.test(host)) ? undefined : t.hostsProblem;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The problem of a provider's address, if it has one. */
export function urlProblem(address: string): string | undefined {
  if (address.trim() === '') return t.required;
  if (!URL.canParse(address)) return t.urlProblem;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname)) ? undefined : t.urlProblem;
}

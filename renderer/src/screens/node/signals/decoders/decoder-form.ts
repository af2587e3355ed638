import type { DecoderRow, Protocol } from '../../../../../../server/contract/signals/decoders.ts';
import { text } from '../../../../text/text.ts';
import { rolesOf, signalOf } from './decode.ts';

const t = text.decoders.problems;

export const PROTOCOLS = ['uart', 'spi', 'i2c', 'wishbone'] as const satisfies readonly Protocol[];
export const PARITIES = ['none', 'even', 'odd'] as const;

/** A decoder, as typed. */
export interface DecoderForm {
  protocol: Protocol;
  title: string;
  /** Role → signal. */
  signals: Readonly<Record<string, string>>;
  baud: string;
  dataBits: string;
  parity: (typeof PARITIES)[number];
  stopBits: string;
  isInverted: boolean;
  mode: string;
  wordBits: string;
  isLsbFirst: boolean;
}

/** How the signals of a role are often called, the likeliest first. */
const USUAL: Readonly<Record<string, readonly RegExp[]>> = {
  line: [/(^|[._])(tx|txd)(_[io]|d)?$/i, /(^|[._])(rx|rxd)(_[io])?$/i, /(uart|serial)/i],
  sck: [/(^|[._])(sck|sclk)(_[io])?$/i, /spi_?cl(oc)?k/i],
  mosi: [/(mosi|copi)/i, /(^|[._])sdo(_[io])?$/i],
  miso: [/(miso|cipo)/i, /(^|[._])sdi(_[io])?$/i],
  cs: [/(^|[._])(n?cs|n?ss)(_?n)?(_[io])?$/i],
  scl: [/scl/i],
  sda: [/sda/i],
};

/** The signals that a protocol probably means, by their names. @param names of the design, the likeliest first */
export function guessSignals(protocol: Protocol, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  if (protocol === 'wishbone') {
    // The roles of one bus share what is around them: wb_cyc, wb_adr; the bench's own bus comes last.
    const cycles = names.filter((name) => /cyc(_[io])?$/i.test(name));
    const cycle = cycles.find((name) => !name.startsWith('bus.')) ?? cycles[0];
    if (cycle === undefined) return found;
    const at = cycle.toLowerCase().lastIndexOf('cyc');
    const before = cycle.slice(0, at);
    for (const { role } of rolesOf(protocol)) {
      const name = names.find(
        (one) => one.toLowerCase().replace(/_[io]$/, '') === `${before}${role}`.toLowerCase(),
      );
      if (name !== undefined) found[role] = name;
    }
    return found;
  }
  for (const { role } of rolesOf(protocol))
    for (const usual of USUAL[role] ?? []) {
      const name = names.find((one) => usual.test(one));
      if (name === undefined) continue;
      found[role] = name;
      break;
    }
  return found;
}

/** The form of a row; a new one without a row. */
export function formOf(row: DecoderRow | undefined, names: readonly string[]): DecoderForm {
  const fresh: DecoderForm = {
    ...{ protocol: 'uart', title: '', signals: guessSignals('uart', names) },
    ...{ baud: '', dataBits: '8', parity: 'none', stopBits: '1', isInverted: false },
    ...{ mode: '0', wordBits: '8', isLsbFirst: false },
  };
  if (!row) return fresh;
  const signals = Object.fromEntries(
    rolesOf(row.protocol).map(({ role }) => [role, signalOf(row, role) ?? '']),
  );
  const shared = { ...fresh, protocol: row.protocol, title: row.title ?? '', signals };
  if (row.protocol === 'uart')
    return {
      ...shared,
      baud: row.baud === undefined ? '' : String(row.baud),
      dataBits: String(row.data_bits ?? 8),
      parity: row.parity ?? 'none',
      stopBits: String(row.stop_bits ?? 1),
      isInverted: row.inverted ?? false,
    };
  if (row.protocol === 'spi')
    return {
      ...shared,
      mode: String(row.mode ?? 0),
      wordBits: String(row.word_bits ?? 8),
      isLsbFirst: row.lsb_first ?? false,
    };
  return shared;
}

const whole = (typed: string, least: number, most: number): number | null => {
  const digits = typed.trim().replaceAll(/[_ ]/g, '');
  const value = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
  return value >= least && value <= most ? value : null;
};

/** The row of a form, or what is wrong in its fields. @param isThere whether the design has a signal */
export function rowOf(
  form: DecoderForm,
  isThere: (name: string) => boolean,
): { row: DecoderRow } | { problems: Readonly<Record<string, string>> } {
  const problems: Record<string, string> = {};
  const signals: Record<string, string> = {};
  for (const { role, needed } of rolesOf(form.protocol)) {
    const name = form.signals[role]?.trim() ?? '';
    if (name === '') {
      if (needed) problems[role] = t.needed;
    } else if (isThere(name)) signals[role] = name;
    else problems[role] = t.unknown;
  }
  const title = form.title.trim();
  const shared = { kind: 'decoder' as const, ...(title !== '' && { title }) };
  const of = (role: string): string => signals[role] ?? '';
  const row = ((): DecoderRow | undefined => {
    switch (form.protocol) {
      case 'uart': {
        const baud = form.baud.trim() === '' ? undefined : whole(form.baud, 1, 100_000_000);
        if (baud === null) problems['baud'] = t.baud;
        return {
          ...shared,
          ...{ protocol: 'uart', line: of('line'), data_bits: Number(form.dataBits), parity: form.parity },
          ...{ stop_bits: Number(form.stopBits), inverted: form.isInverted },
          ...(baud ? { baud } : {}),
        };
      }
      case 'spi': {
        const bits = whole(form.wordBits, 2, 32);
        if (bits === null) problems['wordBits'] = t.wordBits;
        if (signals['mosi'] === undefined && signals['miso'] === undefined) problems['mosi'] ??= t.oneLine;
        const { mosi, miso, cs } = signals;
        return {
          ...shared,
          ...{ protocol: 'spi', sck: of('sck'), mode: Number(form.mode), word_bits: bits ?? 8 },
          ...{ ...(mosi && { mosi }), ...(miso && { miso }), ...(cs && { cs }), lsb_first: form.isLsbFirst },
        };
      }
      case 'i2c':
        return { ...shared, protocol: 'i2c', scl: of('scl'), sda: of('sda') };
      case 'wishbone': {
        const { cyc: _, ack: __, ...others } = signals;
        return { ...shared, protocol: 'wishbone', cyc: of('cyc'), ack: of('ack'), ...others };
      }
    }
  })();
  return row && Object.keys(problems).length === 0 ? { row } : { problems };
}

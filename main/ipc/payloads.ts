import Type, { type TSchema } from 'typebox';
import type { Invocations } from '../../preload/channels.ts';
import { FpgaId } from '../../server/contract/boards/boards.ts';
import { type Check, checkOf } from '../../server/contract/check.ts';
import { DesktopSettingsSchema } from '../desktop-settings.ts';

const FilePath = Type.String({ minLength: 1, maxLength: 4096 });

const PAYLOADS: Record<keyof Invocations, TSchema> = {
  operatorToken: Type.Tuple([]),
  openHdlFile: Type.Tuple([]),
  readRecentFile: Type.Tuple([FilePath]),
  saveFile: Type.Tuple([
    Type.String({ minLength: 1, maxLength: 255 }),
    Type.Union([
      Type.String({ maxLength: 64 * 1024 * 1024 }),
      Type.Refine(Type.Unknown(), (value) => value instanceof Uint8Array),
    ]),
  ]),
  watchFile: Type.Tuple([FpgaId, FilePath]),
  unwatchFile: Type.Tuple([FpgaId]),
  watchedFiles: Type.Tuple([]),
  takeSavedFiles: Type.Tuple([]),
  desktopSettings: Type.Tuple([]),
  changeDesktopSettings: Type.Tuple([Type.Partial(DesktopSettingsSchema, { additionalProperties: false })]),
  showLogs: Type.Tuple([]),
  systemReport: Type.Tuple([Type.Boolean()]),
  openExternal: Type.Tuple([Type.String({ pattern: '^https?://', maxLength: 2000 })]),
};

/** The arguments of each channel: invalid ones are refused before the handler runs. */
export const PAYLOAD_CHECKS = Object.entries(PAYLOADS).map(
  ([name, schema]): [keyof Invocations, Check<unknown>] => [name as keyof Invocations, checkOf(schema)],
);

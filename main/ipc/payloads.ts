import { NODE_COUNT } from '../../server/contract/boards.ts';
import Type, { type TSchema } from 'typebox';
import { DesktopSettingsSchema } from '../desktop-settings.ts';
import type { Invocations } from './channels.ts';

const FpgaId = Type.Integer({ minimum: 0, maximum: NODE_COUNT - 1 });
const FilePath = Type.String({ minLength: 1, maxLength: 4096 });

/** What each channel takes: arguments that do not fit are refused before any handler sees them. */
export const PAYLOADS: Record<keyof Invocations, TSchema> = {
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
  desktopSettings: Type.Tuple([]),
  changeDesktopSettings: Type.Tuple([Type.Partial(DesktopSettingsSchema, { additionalProperties: false })]),
  showLogs: Type.Tuple([]),
  systemReport: Type.Tuple([Type.Boolean()]),
  openExternal: Type.Tuple([Type.String({ pattern: '^https?://', maxLength: 2000 })]),
};

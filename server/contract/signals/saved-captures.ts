import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, RequestUuid, Timestamp } from '../component.ts';
import { CaptureView } from './signals.ts';

/** Maximum captures that are kept with a design. */
export const MAX_SAVED_CAPTURES = 20;

const Name = Type.String({ minLength: 1, maxLength: 64 });

/** A capture that is kept with its design. */
export const SavedCapture = component(
  'SavedCapture',
  Type.Object({ name: Name, saved_at: Timestamp('When it was stored.'), capture: CaptureView }),
);
export type SavedCapture = Static<typeof SavedCapture>;

export const SaveCaptureRequest = component(
  'SaveCaptureRequest',
  Type.Object(
    { name: Name, fpga_id: FpgaId, capture_id: RequestUuid('A capture of the node that has ended.') },
    { additionalProperties: false },
  ),
);

/** The captures of a design, newest first, as they are stored. */
export const SavedCaptures = Type.Object({
  captures: Type.Array(SavedCapture, { maxItems: MAX_SAVED_CAPTURES }),
});

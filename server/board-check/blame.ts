import type { CheckStepName } from '../contract/board-checks.ts';
import type { Stage } from '../contract/jobs.ts';

/** Codes that mean one step, whatever the job was at when they came. */
const STEP_OF_CODE: Readonly<Record<string, CheckStepName>> = {
  board_absent: 'seen',
  usb_unavailable: 'opened',
  usb_permission_denied: 'opened',
  usb_busy: 'opened',
  usb_driver_missing: 'opened',
  board_in_use: 'opened',
  programmer_missing: 'opened',
  programmer_ambiguous: 'opened',
  fpga_not_in_reset: 'cdone',
  cdone_low: 'cdone',
};

/** The step in which a job failed that builds or programs: by the code of the error, else by the job's stage. */
export function stepToBlame(code: string, stage: Stage | undefined): CheckStepName {
  const named = STEP_OF_CODE[code];
  if (named) return named;
  // What the virtual board refuses, it refuses instead of letting CDONE rise.
  if (code.startsWith('fabric_') && stage === 'program') return 'cdone';
  switch (stage) {
    case 'program':
      return 'programmed';
    case 'identify':
      return 'identity';
    default:
      return 'built';
  }
}

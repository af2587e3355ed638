import { RECORDED, type RecordedDesign, recordNetlist } from '../boards/virtual/support/recorded-netlists.ts';
import { closeTools } from '../boards/virtual/support/tools.ts';

/** `node run.mjs script tests/support/record-netlists.ts`: synthesises the designs of tests that begin behind it, and keeps that. */
export default async function recordNetlists(): Promise<void> {
  for (const name of Object.keys(RECORDED) as RecordedDesign[]) await recordNetlist(name);
  await closeTools();
}

import type { Port } from '../../contract/designs/uploads.ts';
import type { CandidateModule } from './candidate.ts';
import { type Reading, readingsOf, type Stem } from './port-names.ts';

/** A port with the way in which its name was read. */
export interface Candidate {
  port: Port;
  reading: Reading;
}

/** Which ports of a module can be a signal, by direction, stem and width. */
export function candidates(
  module: CandidateModule,
  direction: Port['direction'],
  stems: Stem[],
  fits: (width: number) => boolean,
) {
  const found: Candidate[] = [];
  for (const port of module.ports) {
    if (port.direction !== direction || !fits(port.width)) continue;
    const reading = readingsOf(port.name).find(({ stem }) => stems.includes(stem));
    if (reading) found.push({ port, reading });
  }
  return found;
}

/** A signal of one bit. */
export const one = (width: number) => width === 1;
/** A signal of any width. */
export const any = () => true;

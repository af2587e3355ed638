import type { Port } from '../../contract/designs/uploads.ts';
import type { CandidateModule } from './candidate.ts';
import { type Reading, readingsOf, type Stem } from './port-names.ts';

/** A port with the reading of its name. */
export interface Candidate {
  port: Port;
  reading: Reading;
}

/** Ports of a module that may be a signal, by direction, stem and width. */
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

/** For signals of one bit. */
export const one = (width: number) => width === 1;
/** For signals of any width. */
export const any = () => true;

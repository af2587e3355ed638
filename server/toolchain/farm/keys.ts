/** Prefix of every key. The braces keep all keys in one slot of a cluster, because the scripts use several keys. */
export const BASE = '{wishbench}:farm:';

/** Receives the name of a queue that has a new build. */
export const WORK_CHANNEL = `${BASE}work`;
/** Receives the ticket of a build that no bench wants. */
export const STOP_CHANNEL = `${BASE}stop`;
/** Receives the build id when a build of this bench has news. */
export const newsChannel = (bench: string): string => `${BASE}news:${bench}`;

/** Stream of the messages of one try. */
export const logKey = (ticket: string): string => `${BASE}log:${ticket}`;
/** The packed result with this SHA-256. */
export const artifactKey = (sha256: string): string => `${BASE}artifact:${sha256}`;

/** The build id of a ticket. A ticket is the build id and a suffix that is unique for the try. */
export const buildOfTicket = (ticket: string): string => ticket.slice(0, 64);

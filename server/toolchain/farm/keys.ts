/** Every key begins so. The braces keep all of them in one slot of a cluster, as scripts over several keys need it. */
export const PREFIX = '{wishbench}';

/** Keys of ours beside those of BullMQ. */
export const BASE = `${PREFIX}:farm:`;

/** Told the name of a queue when a build was put into it. */
export const WORK_CHANNEL = `${BASE}work`;
/** Told the ticket of a build that nobody wants any more. */
export const STOP_CHANNEL = `${BASE}stop`;
/** Told the build id of a build of this bench of which there is news. */
export const newsChannel = (bench: string): string => `${BASE}news:${bench}`;

/** What is told of one try at a build, as a stream. */
export const logKey = (ticket: string): string => `${BASE}log:${ticket}`;
/** The packed result with this SHA-256. */
export const artifactKey = (sha256: string): string => `${BASE}artifact:${sha256}`;

/** The build of a ticket: a ticket is the build id and what tells this try at it from others. */
export const buildOfTicket = (ticket: string): string => ticket.slice(0, 64);

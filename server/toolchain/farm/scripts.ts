import { ADMIT, FIND, FORGET, LEAVE, NOTED, PLACES, REJOIN, STANDING } from './scripts/bench.ts';
import { OFFERS, VIEW } from './scripts/farm.ts';
import { ANNOUNCE, FINISH, GIVE_BACK, NAME, PUBLISH, RENEW, TAKE, WORKER_LEAVES } from './scripts/worker.ts';

/** The scripts that run in Redis, by name. */
export const SCRIPTS = {
  admit: ADMIT,
  rejoin: REJOIN,
  noted: NOTED,
  take: TAKE,
  tell: PUBLISH,
  renew: RENEW,
  finish: FINISH,
  giveBack: GIVE_BACK,
  leave: LEAVE,
  standing: STANDING,
  offers: OFFERS,
  find: FIND,
  forget: FORGET,
  announce: ANNOUNCE,
  name: NAME,
  farewell: WORKER_LEAVES,
  places: PLACES,
  view: VIEW,
} as const;
export type ScriptName = keyof typeof SCRIPTS;

import { ADMIT, FIND, FORGET, LEAVE, NOTED, PLACES, REJOIN, STANDING } from './scripts/bench.ts';
import { OFFERS, SWEEP, VIEW } from './scripts/farm.ts';
import {
  ANNOUNCE,
  BEGIN,
  FINISH,
  GIVE_BACK,
  NAME,
  PARKED,
  PUBLISH,
  RENEW,
  WORKER_LEAVES,
} from './scripts/worker.ts';

/** The scripts that run in Redis, by name. */
export const SCRIPTS = {
  admit: ADMIT,
  rejoin: REJOIN,
  noted: NOTED,
  begin: BEGIN,
  tell: PUBLISH,
  renew: RENEW,
  finish: FINISH,
  giveBack: GIVE_BACK,
  parked: PARKED,
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
  sweep: SWEEP,
} as const;
export type ScriptName = keyof typeof SCRIPTS;

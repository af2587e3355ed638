import { defineErrors } from './bench-error.ts';

/** The data directory: at start (locked, unwritable, too new) and while running (unavailable). */
export const storeError = defineErrors({
  store_unavailable: {
    status: 503,
    message: 'The change could not be kept on disk, so it was not made.',
    remedy: 'Free space on the disk of the data directory or make it writable, then try again.',
  },
  store_locked: {
    status: 503,
    message: 'The data directory is in use by another instance.',
    remedy: 'Use the instance that is running, end it, or start with another --data directory.',
  },
  store_unwritable: {
    status: 503,
    message: 'The data directory cannot be written.',
    remedy: 'Give this user the right to write there, or start with another --data directory.',
  },
  store_too_new: {
    status: 503,
    message: 'The data directory was written by a later version.',
    remedy: 'Start that version, or start with another --data directory.',
  },
});

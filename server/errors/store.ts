import { defineErrors } from './bench-error.ts';

/** Errors of the data directory at start and during operation, and of its backups. */
export const storeError = defineErrors({
  store_unavailable: {
    status: 503,
    message: 'The change could not be written to disk, so it was not made.',
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
  store_full: {
    status: 503,
    message: 'The disk of the data directory is full.',
    remedy: 'Free space on that disk, or start with another --data directory.',
  },
  store_unreadable: {
    status: 503,
    message: 'A file of the data directory cannot be read.',
    remedy: 'Give this user the right to read it, or move it away if it is not a file; then start again.',
  },
  storage_low: {
    status: 507,
    message: 'The disk of the data directory is nearly full, so the service accepts no new work.',
    remedy: 'Free space on that disk, or lower the number of stored jobs in the settings, then try again.',
  },
  backup_exists: {
    status: 409,
    message: 'A file with that name already exists.',
    remedy: 'Give the backup another name.',
  },
  backup_impossible: {
    status: 503,
    message: 'The bench changed too often for a consistent backup.',
    remedy: 'Try again while it is less busy.',
  },
  backup_damaged: {
    status: 422,
    message: 'The file is not a backup or is damaged; nothing was restored.',
    remedy: 'Use another backup.',
  },
  store_too_new: {
    status: 503,
    message: 'The data directory was written by a later version.',
    remedy: 'Start that version, or start with another --data directory.',
  },
});

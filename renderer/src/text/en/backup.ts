/** Backup and restore, in Settings. */
export const backup = {
  title: 'Backup',
  what: 'A backup is one file with designs, builds, jobs, settings and keys as they are now. It contains sources: store it where only you can read it.',
  download: 'Download a backup',
  making: 'Making the backup…',
  restore: 'Restore a backup',
  run: 'On the bench’s own computer run:',
  command: 'the command',
  restart:
    'Restart the service, or the desktop application. It puts the backup in place at its start, and stores the present data next to it.',
  keys: 'Check the keys: those that were revoked after the backup are valid again.',
};

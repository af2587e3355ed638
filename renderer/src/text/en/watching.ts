/** Files that are submitted again whenever they are saved. */
export const watching = {
  badge: (name: string) => `watching ${name}`,
  none: (name: string) => `${name} is submitted again whenever it is saved.`,
  submitted: (name: string, status: string) => `${name} was saved and submitted: ${status}.`,
  outcomes: {
    watching: 'not saved yet',
    waiting: 'waiting',
    submitted: 'submitted',
    failed: 'not submitted',
  },
  stop: 'Stop watching',
  stopOf: (name: string) => `Stop watching ${name}`,
  unknown: 'Saved; it is submitted when the service has told how the node is.',
  resetting: 'Saved; it is submitted when the board is reset.',
  absent: 'Saved; it is submitted when the board is there again.',
  busy: 'Saved; it is submitted when the job under way has ended.',
  error: 'Saved; it is submitted when the node was reset.',
  held: (owner: string) => `Saved; ${owner} holds the node. It is submitted when the node is released.`,
  otherDesign:
    'Saved; you hold the node with a design that this window did not submit. It is submitted when the node is released.',
};

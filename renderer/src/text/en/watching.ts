/** Files that the window submits on every save. */
export const watching = {
  badge: (name: string) => `watching ${name}`,
  none: (name: string) => `${name} is submitted on every save.`,
  submitted: (name: string, status: string) => `${name} was saved and submitted: ${status}.`,
  outcomes: {
    watching: 'not saved yet',
    waiting: 'waiting',
    submitted: 'submitted',
    failed: 'not submitted',
  },
  stop: 'Stop watching',
  stopOf: (name: string) => `Stop watching ${name}`,
  unknown: 'Saved. It is submitted when the service reports the state of the node.',
  resetting: 'Saved. It is submitted after the reset of the board.',
  absent: 'Saved. It is submitted when the board is present again.',
  busy: 'Saved. It is submitted after the current job.',
  error: 'Saved. It is submitted after a reset of the node.',
  held: (owner: string) => `Saved. ${owner} holds the node. It is submitted when the node is released.`,
  otherDesign:
    'Saved. You hold the node with a design that this window did not submit. It is submitted when the node is released.',
};

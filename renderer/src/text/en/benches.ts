/** Other benches. */
export const benches = {
  title: 'Other benches',
  own: 'This PC’s bench',
  nodesOf: (name: string) => `Nodes of ${name}`,
  idle: (idle: number, all: number) => `${idle} of ${all} idle`,
  live: 'live',
  dead: 'does not answer',
  lastSeen: 'last seen',
  never: 'not seen since the service was started',
  version: (version: string) => `version ${version}`,
  found: { own: 'served this page', settings: 'in the settings', mdns: 'found on the network' },
  wantsKey: 'It shows its nodes to those who sign in there.',
  signIn: (name: string) => `Sign in at ${name}`,
  open: (name: string) => `Open ${name}`,
  nodeOf: (name: string, id: number) => `${name}, node ${id}`,
  absent: 'board absent',
};

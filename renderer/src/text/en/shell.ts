/** The frame: navigation, status, palette, shortcuts, who you are. */
export const shell = {
  notifyTitle: (id: number, status: string) => `Node ${id}: build ${status}`,
  skip: 'Skip to the content',
  navigation: 'Screens',
  bench: 'Bench',
  jobs: 'Jobs',
  boards: 'Boards',
  settings: 'Settings',
  audit: 'Audit',
  buildQueue: 'Builds',
  search: 'Search or command',
  status: 'Status of the bench',
  live: 'live',
  connecting: 'connecting',
  reconnecting: 'reconnecting',
  liveTitle: 'The page shows every change as it happens.',
  store: (ok: boolean) => (ok ? 'store ok' : 'store lost'),
  storeTitle: (ok: boolean) =>
    ok
      ? 'The state store can be written.'
      : 'The state store cannot be written. Check the disk of the data directory.',
  builds: (busy: number, total: number) => `${busy}/${total} builds`,
  buildsWaiting: (waiting: number) => `${waiting} waiting`,
  buildsTitle: 'Builds that run now, of those that may run at once: who builds, and what waits.',
  lan: (on: boolean) => (on ? 'LAN on' : 'LAN off'),
  lanTitle: (on: boolean, addresses: string) =>
    on
      ? `Reachable from the LAN at ${addresses || 'this computer’s addresses'}.`
      : 'Only this computer can reach the bench.',
  clients: (count: number) => (count === 1 ? '1 client' : `${count} clients`),
  clientsTitle: 'Windows and programs that follow the bench live.',
  addressTitle: 'Address of the service',
  lost: (seconds: number) =>
    seconds > 0
      ? `The service does not answer; trying again in ${seconds} s. What is shown may be out of date.`
      : 'The service does not answer; trying again now. What is shown may be out of date.',
  retryNow: 'Try now',
  back: 'The service answers again.',
  notFound: 'There is no such page.',
  notFoundText: 'The address does not name a screen, a node from 0 to 9 or a job.',
  toBench: 'Go to the bench',
  jobUnknown: 'No node has a job with this id.',
  jobUnknownText: 'Only the newest jobs of each node are kept.',
  findingJob: 'Looking for the job…',
  broken: 'This screen met an error and stopped.',
  brokenText:
    'The bench itself is not affected. Load the screen again; nothing on the nodes changes by that.',
  reload: 'Load again',

  palette: 'Commands',
  palettePlaceholder: 'Type a command, a node, an owner or a file',
  paletteEmpty: 'Nothing fits. Try a node number, “submit” or “settings”.',
  paletteHint: '↑ ↓ to choose, Enter to run, Esc to close',
  paletteGroups: { go: 'Go to', node: 'Node', view: 'View', desktop: 'Application' },

  shortcuts: 'Keyboard shortcuts',
  shortcutGroups: {
    go: 'Go',
    node: 'Node',
    log: 'Log',
    registers: 'Registers',
    general: 'General',
    list: 'Lists',
  },
  thenKey: 'then',
  keyBench: 'Bench',
  keyJobs: 'Jobs',
  keyBoards: 'Boards',
  keySettings: 'Settings',
  keyAudit: 'Audit',
  keyBuilds: 'Builds',
  keyNode: (id: number) => `Node ${id}`,
  keyBack: 'Back to the bench',
  keySearch: 'Search in this view',
  keyPalette: 'Search or command',
  keyList: 'This list',

  theme: { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
  formats: {
    hex: 'Numbers: hexadecimal',
    decimal: 'Numbers: decimal',
    signed: 'Numbers: signed',
    binary: 'Numbers: binary',
  },
  showLogs: 'Show the application’s log files',
  systemReport: 'Save a system report',
  apiReference: 'REST reference',

  who: 'Who you are',
  whoButton: (name: string) => `You are ${name}`,
  whoIntro: 'The name under which your jobs and sessions are recorded. Others on this bench see it.',
  whoOpen: 'Nobody checks it: the service records callers but does not refuse any.',
  whoEnforced:
    'The service refuses callers without a key. Sign in with a link or a key from the operator, or with an access token of your identity provider.',
  name: 'Your name',
  nameHint: (anonymous: string) => `Empty means “${anonymous}”.`,
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedInAs: (name: string) => `Signed in as ${name}.`,
  providerToken: 'Access token',
  providerTokenHint:
    'A personal access token, or one from the provider’s device flow. It is sent once and not kept.',
  apiKey: 'API key that you have',
  operator: 'This window is the operator of the bench.',
  noProvider: 'No identity provider is set up: ask the operator for a link that signs you in, or for a key.',
};

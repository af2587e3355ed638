/** Names, keys and invitations. */
export const access = {
  nameTitle: 'What’s your name?',
  nameText:
    'The bench records your designs and sessions under this name. Others then know whom to ask. You can change it later at the bottom left.',
  useName: 'Use this name',
  goOnAs: (name: string) => `Continue as ${name}`,

  owner: 'Name',
  ownerHint: 'Recorded as owner of jobs and sessions.',
  label: 'What it is for',
  labelHint: 'Optional; shown in the list of keys, e.g. “nightly build”.',
  operatorRight: 'Operator of the bench',
  operatorRightHint: 'May change settings and boards and hand out keys, from anywhere.',
  keep: 'Stay signed in on this browser',
  keepHint: 'Off: this tab forgets the key when you close it. Leave it off on a shared computer.',
  windowLabel: 'browser',

  enforceTitle: 'Require an API key?',
  enforceText:
    'The bench then refuses people and programs without a key, and ends what runs without one. You first get a key with the operator’s right and are signed in with it.',
  enforceDesktop:
    'The bench then refuses people and programs without a key, and ends what runs without one. This window keeps the operator’s right.',
  enforceSignedIn: (name: string) => `You are signed in as ${name} and stay so.`,
  enforceConfirm: 'Require an API key',
  enforceAfter: 'Then hand out keys to your colleagues and your programs, under Access.',
  needsName: 'Enter a name for your key.',

  keys: 'Keys',
  noKeys: 'No keys yet. Make one for a program, or invite a colleague.',
  invite: 'Invite a colleague…',
  hand: 'Make a key for a program…',
  inviteTitle: 'Invite a colleague',
  inviteText: 'Makes a link that signs a colleague in once, without an identity provider.',
  handTitle: 'Make a key for a program',
  handText: 'The key is shown once. Programs send it in the X-API-Key header.',
  lifetime: 'The link works for',
  lifetimes: { hour: 'an hour', day: 'a day', week: 'a week' },
  makeLink: 'Make the link',
  makeKey: 'Make the key',
  linkReady: (name: string) => `Send this link to ${name}, or let ${name} scan it. It works once.`,
  linkLocal:
    'The bench does not listen on the LAN, and the link works only on this computer. Switch the LAN on under Network.',
  link: 'link',
  qr: (name: string) => `QR code of the link for ${name}`,
  keyReady: (name: string) => `The key of ${name}. Copy it now; it won’t be shown again.`,
  key: 'key',
  until: (when: string) => `Until ${when}.`,
  done: 'Done',

  invites: 'Open invitations',
  withdraw: 'Revoke',
  withdrawOf: (name: string) => `Revoke the invitation of ${name}`,
  operatorBadge: 'operator',

  joinTitle: 'You are invited to this bench',
  joinText: 'The link makes a key for you and signs you in. It works once.',
  joinInstead: (name: string) =>
    `You are signed in as ${name} here; the link signs you in with its own key instead.`,
  join: 'Sign in',
  joined: (name: string) => `Signed in as ${name}.`,

  signInOperator:
    'You are on the bench’s own computer, which makes you its operator. Make a key for yourself.',
  signInOperatorConfirm: 'Sign in as the operator',
  notAccepted: (name: string) =>
    `The bench refuses the key of ${name}: it was revoked or has expired. Sign in again.`,
};

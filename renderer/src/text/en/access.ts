/** Names, keys, invitations: who is let in and under which name. */
export const access = {
  nameTitle: 'What’s your name?',
  nameText:
    'Your designs and sessions are recorded under a name, so that others on this bench know whom to ask. You can change it later at the bottom left.',
  useName: 'Use this name',
  goOnAs: (name: string) => `Continue as ${name}`,

  owner: 'Name',
  ownerHint: 'Recorded as owner of jobs and sessions.',
  label: 'What it is for',
  labelHint: 'Optional; shown in the list of keys, e.g. “nightly build”.',
  operatorRight: 'Operator of the bench',
  operatorRightHint: 'May change settings and boards and hand out keys, from anywhere.',
  keep: 'Stay signed in in this browser',
  keepHint: 'Off: the key is forgotten when this tab is closed. Leave it off on a computer that others use.',
  windowLabel: 'browser',

  enforceTitle: 'Require an API key?',
  enforceText:
    'Whoever has no key is refused from then on, programs as well, and what runs without a key ends. You get a key with the operator’s right first and are signed in with it, so that you are not locked out.',
  enforceDesktop:
    'Whoever has no key is refused from then on, programs as well, and what runs without a key ends. This window stays the operator.',
  enforceSignedIn: (name: string) => `You are signed in as ${name} and stay so.`,
  enforceConfirm: 'Require an API key',
  enforceAfter: 'Then hand out keys to your colleagues and your programs, under Access.',
  needsName: 'Your key is made under a name: type one.',

  keys: 'Keys',
  noKeys: 'None so far. Hand one out to a program, or invite a colleague.',
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
    'The bench does not listen on the LAN: the link works on this computer alone until you switch that on under Network.',
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

  signInOperator: 'You are on the computer of this bench, which makes you its operator: make yourself a key.',
  signInOperatorConfirm: 'Sign in as the operator',
  notAccepted: (name: string) =>
    `The key of ${name} is not accepted any more: it was revoked or has expired. Sign in again.`,
};

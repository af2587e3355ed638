/** Notices: the bell, its list, and what notices of requests and sessions say. */
export const notices = {
  title: 'Notices',
  bell: (unseen: number) => (unseen === 0 ? 'Notices' : `Notices, ${unseen} new`),
  key: 'Notices',
  none: 'No notices',
  noneText: 'Requests, raised hands, ended builds and changes of your nodes appear here.',
  dismissAll: 'Dismiss all',
  dismissed: (count: number) => (count === 1 ? '1 notice dismissed.' : `${count} notices dismissed.`),
  fresh: 'new',
  more: (count: number) => `${count} more`,
  open: 'Open',
  approve: 'Approve',
  approveOf: (owner: string, id: number) => `Approve: hand node ${id} over to ${owner}`,
  decline: 'Decline',
  declineOf: (owner: string, id: number) => `Decline the request of ${owner} for node ${id}`,
  extend: 'Extend',
  extendOf: (id: number) => `Extend the session of node ${id}`,
  asks: (owner: string, id: number, note: string | null) =>
    `${owner} requests control of node ${id}${note ? `: “${note}”` : '.'}`,
  asksShort: (owner: string, others: number) =>
    others === 0 ? `${owner} requests control` : `${owner} and ${others} more request control`,
  withdrawn: (id: number) => `Your request for node ${id} is cancelled.`,
  requestEnded: (id: number) => `The session of node ${id} ended before your request was answered.`,
  requestEndedRemedy: 'Submit a design to the node, or wait in line for it.',
  expires: (id: number, left: string) => `Your session of node ${id} ends in less than ${left}.`,
  expiresRemedy: 'The design and its registers go with it.',
  extended: (id: number, until: string) => `Your session of node ${id} lasts until ${until}.`,
  minutes: (count: number) => (count === 1 ? 'a minute' : `${count} minutes`),
  seconds: (count: number) => `${count} seconds`,
  hand: (name: string, course: string, question: string) =>
    `${name} raises a hand in ${course}${question === '' ? '.' : `: “${question}”`}`,
  endsIn: 'ends in',
  place: (place: string) => `you are ${place} in line`,
};

/** Activity of others on a node. */
export const activity = {
  label: 'Activity of this node',
  bench: 'The bench',
  you: 'you',
  your: 'your',
  of: (owner: string) => `${owner}’s`,
  released: (who: string, whose: string | null, file: string) =>
    `${who} released this node and ended ${whose ?? 'the'} session with ${file}`,
  reset: (who: string) => `${who} reset this node`,
  expired: (whose: string | null, file: string) =>
    `${whose === null ? 'The' : whose === 'your' ? 'Your' : whose} session with ${file} expired`,
  replaced: (who: string, whose: string | null, file: string) =>
    `${who} replaced ${whose ?? 'the'} design ${file}`,
  handedOver: (who: string, to: string) => `${who} handed this node over to ${to}`,
  declined: (who: string, asker: string | null) =>
    asker === null ? `${who} declined your request for control` : `${who} declined the request of ${asker}`,
  restored: (file: string) => `The service restarted and programmed ${file} again`,
  cancelled: (who: string, whose: string | null, file: string) =>
    `${who} cancelled ${whose ?? 'the'} build of ${file}`,
  stopped: (who: string, whose: string | null, file: string) =>
    `${who} stopped ${whose ?? 'the'} build of ${file}`,
  taken: (who: string, file: string) => `${who} took this node with ${file}`,
  kept: (count: number) => (count === 1 ? 'your transaction is kept' : `your ${count} transactions are kept`),
  registersAnew: 'its registers have their reset values',
  readAgain: 'Read again',
  showKept: 'Show them',
};

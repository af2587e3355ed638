/** What notices say of changes on the bench. */
export const changes = {
  approved: (id: number, by: string) => `${by} approved your request: you hold node ${id} now.`,
  declined: (id: number, by: string) => `${by} declined your request for node ${id}.`,
  ofNode: (id: number, what: string) => `Node ${id}: ${what}`,
  built: (id: number, file: string, summary: string | undefined) =>
    `Node ${id}: ${file} runs${summary ? `, ${summary}` : ''}.`,
  missed: (id: number, file: string) => `Node ${id}: ${file} runs, but misses its timing target.`,
  failed: (id: number, file: string, why: string) => `Node ${id}: the build of ${file} failed. ${why}`.trim(),
  stopped: (id: number, file: string) => `Node ${id}: the build of ${file} was stopped.`,
  cancelled: (id: number, file: string) => `Node ${id}: the build of ${file} was cancelled.`,
  boardGone: (id: number, why: string | undefined) => `Node ${id}: its board is gone. ${why ?? ''}`.trim(),
  boardGoneRemedy: 'Connect the board again: the session goes on if it still runs your design.',
  boardBack: (id: number) => `Node ${id}: its board is back.`,
};

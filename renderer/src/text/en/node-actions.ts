/** Actions on a node with their confirmations. Every screen has them, so the first page loads them. */
export const nodeActions = {
  tabs: {
    design: 'Design',
    log: 'Log',
    registers: 'Registers',
    panel: 'Panel',
    signals: 'Signals',
    report: 'Report',
    floorplan: 'Floorplan',
    history: 'History',
  },
  noDesign: 'its design',
  release: 'Release',
  releaseTitle: (id: number) => `Release node ${id}?`,
  releaseOther: (owner: string, file: string) =>
    `${owner} holds this node with ${file}. Releasing ends that session and erases the design from the board.`,
  releaseUnsaved: (count: number) =>
    count === 1
      ? 'One transaction is not exported. Releasing ends the session and erases the design. The history stays until you close this window.'
      : `${count} transactions are not exported. Releasing ends the session and erases the design. The history stays until you close this window.`,
  reset: 'Reset board',
  resetTitle: (id: number) => `Reset the board of node ${id}?`,
  resetOther: (owner: string) =>
    `${owner} holds this node. Resetting ends that session and erases the design from the board.`,
  resetOwn: (file: string) =>
    `Your session ends and ${file} is erased from the board. Its registers lose their values.`,
  cancelJob: 'Cancel the build',
  stopBuild: 'Stop the build',
  stop: 'Stop',
  stopTitle: (owner: string) => `Stop the build of ${owner}?`,
  stopOther: (owner: string, file: string) =>
    `${file} of ${owner} is being built. The job fails, and the bench records your name with the stop.`,
  cancelQueued: 'Cancel',
  cancelTitle: (owner: string) => `Cancel the build of ${owner}?`,
  cancelOther: (owner: string, file: string) =>
    `${owner} waits for the build of ${file}. The bench records your name with the cancellation.`,
};

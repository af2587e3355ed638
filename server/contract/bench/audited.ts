import type { EndpointId } from '../endpoints.ts';

export interface AuditEntry {
  /** Its name on the Audit screen. */
  title: string;
  /** Operations that are always recorded under it. */
  operations: readonly EndpointId[];
  /** For docs/operations.md, where operations do not say it. */
  help?: string;
}

/** Audited actions, including refused ones. A refused operation without an entry is recorded as a `request`. */
export const AUDIT = {
  service: { title: 'Service', operations: [], help: 'Start and end of the service.' },
  submit: { title: 'Submit', operations: ['submitDesign', 'submitToAnyNode'] },
  run: { title: 'Read or write', operations: ['runTransaction', 'setPins', 'sendToTerminal'] },
  stream: { title: 'Stream', operations: ['openStream'] },
  script: { title: 'Script', operations: ['runScript'] },
  capture: { title: 'Capture of signals', operations: ['startCapture', 'cancelCapture', 'setBoardClock'] },
  design: {
    title: 'Design',
    operations: [
      'putDesignScript',
      'deleteDesignScript',
      'putDesignMap',
      'deleteDesignMap',
      'putDesignPanel',
      'deleteDesignPanel',
      'putDesignWaves',
      'deleteDesignWaves',
      'saveCapture',
      'deleteDesignCapture',
    ],
  },
  reset: { title: 'Reset', operations: ['resetNode'] },
  release: { title: 'Release', operations: ['releaseSession'] },
  control: {
    title: 'Request control',
    operations: ['requestControl', 'withdrawControlRequest', 'declineControlRequest'],
  },
  extend: { title: 'Extend', operations: ['extendSession'] },
  handover: { title: 'Hand over', operations: ['handOverSession'] },
  cancel: { title: 'Cancel', operations: ['cancelJob', 'cancelAnyJob'] },
  stop: { title: 'Stop a build', operations: ['stopJob', 'stopAnyJob'] },
  key: {
    title: 'Key',
    operations: [
      'exchangeToken',
      'exchangeGithubToken',
      'revokeOwnKey',
      'mintKey',
      'revokeKey',
      'createInvite',
      'redeemInvite',
      'withdrawInvite',
    ],
  },
  course: {
    title: 'Course',
    operations: [
      'createCourse',
      'changeCourse',
      'deleteCourse',
      'addMembers',
      'changeMember',
      'removeMember',
      'exportMember',
      'eraseMember',
      'inviteMembers',
      'openCourseCode',
      'closeCourseCode',
      'joinCourse',
      'createAssignment',
      'changeAssignment',
      'deleteAssignment',
      'gradeHandIns',
    ],
  },
  handin: { title: 'Hand in', operations: ['handIn'] },
  settings: { title: 'Settings', operations: ['changeSettings'] },
  board: { title: 'Board', operations: ['assignBoard'] },
  backup: { title: 'Backup', operations: ['makeBackup'] },
  request: { title: 'Other request', operations: [], help: 'A refused request of another kind.' },
} as const satisfies Record<string, AuditEntry>;

export type AuditAction = keyof typeof AUDIT;
export const AUDIT_ACTIONS = Object.keys(AUDIT) as AuditAction[];

const ENTRIES = Object.entries<AuditEntry>(AUDIT);

/** Operation → its audit action. */
export const AUDITED: Readonly<Partial<Record<EndpointId, AuditAction>>> = Object.fromEntries(
  ENTRIES.flatMap(([action, { operations }]) => operations.map((id) => [id, action] as const)),
);

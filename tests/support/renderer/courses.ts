import type { MemberView } from '../../../server/contract/courses/courses.ts';

/** A student who has signed in and done nothing. */
export const member = (username: string, change: Partial<MemberView> = {}): MemberView => ({
  username,
  name: username,
  role: 'student',
  email: null,
  invited: false,
  signed_in: true,
  shares: null,
  used: { sessions: 0, day_minutes: 0, queued_jobs: 0 },
  hand: null,
  ...change,
});

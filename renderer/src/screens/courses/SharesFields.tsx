import type { InputHTMLAttributes } from 'react';
import type { Shares } from '../../../../server/contract/courses/shares.ts';
import { Fields } from '../../components/Fields.tsx';
import { text } from '../../text/text.ts';

const limit = (max: number) => ({ type: 'number', min: 1, max, placeholder: text.courses.noLimit });
/** Each limit with its maximum, from the contract. */
const LIMITS: Record<keyof Shares, InputHTMLAttributes<HTMLInputElement>> = {
  sessions: limit(10),
  session_minutes: limit(1440),
  day_minutes: limit(1440),
  queued_jobs: limit(100),
  idle_minutes: limit(240),
};

/** The limits of a course or of one member; an empty field is no limit. */
export function SharesFields({ shares, onChange }: { shares: Shares; onChange(shares: Shares): void }) {
  const put = (change: object) => onChange({ ...shares, ...change });
  return <Fields inputs={LIMITS} words={text.courses.shares} values={shares} onChange={put} />;
}

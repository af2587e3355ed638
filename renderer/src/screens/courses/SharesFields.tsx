import type { Shares } from '../../../../server/contract/courses/shares.ts';
import { SHARE_MAXIMA } from '../../../../server/contract/courses/words.ts';
import { Fields } from '../../components/Fields.tsx';
import { text } from '../../text/text.ts';

const LIMITS = Object.fromEntries(
  Object.entries(SHARE_MAXIMA).map(([name, max]) => [
    name,
    { type: 'number', min: 1, max, placeholder: text.courses.noLimit },
  ]),
) as Record<keyof Shares, object>;

/** The limits of a course or of one member; an empty field is no limit. */
export function SharesFields({ shares, onChange }: { shares: Shares; onChange(shares: Shares): void }) {
  const put = (change: object) => onChange({ ...shares, ...change });
  return <Fields inputs={LIMITS} words={text.courses.shares} values={shares} onChange={put} />;
}

import { useState } from 'react';
import { parseBooking } from '../../../../server/contract/courses/booking-line.ts';
import type { CourseChange } from '../../../../server/contract/courses/courses.ts';
import type { Booking } from '../../../../server/contract/courses/shares.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { TextAreaField } from '../../components/Field.tsx';
import { Fields } from '../../components/Fields.tsx';
import { Form } from '../../components/Form.tsx';
import { useBench, useIsOperator } from '../../state/client/context.tsx';
import { navigateLater } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';
import type { CourseProps } from './course-props.ts';
import { SharesFields } from './SharesFields.tsx';

const t = text.courses.settings;

const TERM = {
  name: { maxLength: 100, required: true },
  time_zone: { maxLength: 64, required: true },
  ends_on: { type: 'date' },
};
const OPERATOR = { priority: { type: 'number', min: 0, max: 9 }, group: { maxLength: 128 } };

/** A booking as a line: `tuesday 14:00-16:00 5`. */
const lineOf = ({ day, from, to, nodes }: Booking): string => `${day} ${from}-${to} ${nodes}`;

/** Parses lines of bookings; undefined where one is no booking. */
export function parseBookings(lines: string): Booking[] | undefined {
  const bookings = lines.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseBooking(line)]));
  return bookings.every((one) => one !== undefined) ? bookings : undefined;
}

/** Name, term, shares and bookings of a course. Only an operator changes group, priority and bookings. */
export function CourseSettings({ course, reload }: CourseProps) {
  const { service } = useBench();
  const operator = useIsOperator();
  const { course_id, name } = course;
  const [change, setChange] = useState<CourseChange>({});
  const [lines, setLines] = useState(() => course.bookings.map(lineOf).join('\n'));
  const bookings = parseBookings(lines);
  const now = { ...course, ...change };
  // What others changed meanwhile stays: only what differs is sent.
  const changed = Object.entries({ ...change, ...(operator && { bookings }) }).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(course[field as keyof CourseChange]),
  );
  const put = (part: object) => setChange({ ...change, ...part });
  const save = async () => {
    await service.changeCourse({ course_id, body: Object.fromEntries(changed) });
    // What was typed meanwhile stays.
    setChange((now) => (now === change ? {} : now));
    reload();
    return t.saved;
  };
  const remove = async () => {
    const goOn = navigateLater();
    await service.deleteCourse({ course_id });
    goOn({ kind: 'courses', course: undefined, tab: undefined });
  };
  return (
    <Form
      className="course-form"
      run={save}
      action={text.save}
      disabled={changed.length === 0 || !bookings || !now.name}
      others={
        operator && (
          <ActButton
            kind="danger"
            question={{ title: t.removeTitle(name), text: t.removeText, confirm: t.remove }}
            run={remove}
          >
            {t.remove}
          </ActButton>
        )
      }
    >
      <Fields inputs={TERM} words={t.fields} values={now} onChange={put} />
      <fieldset className="stack course-group">
        <legend>{t.shares}</legend>
        <SharesFields shares={now.shares} onChange={(shares) => put({ shares })} />
      </fieldset>
      <fieldset className="stack course-group" disabled={!operator}>
        <legend>{t.operator}</legend>
        <Fields inputs={OPERATOR} words={t.fields} values={now} onChange={put} />
        <TextAreaField
          label={t.bookings}
          hint={t.bookingsHint(now.time_zone)}
          problem={bookings ? undefined : t.bookingsProblem}
          className="mono"
          rows={3}
          value={lines}
          onChange={(event) => setLines(event.target.value)}
        />
      </fieldset>
    </Form>
  );
}

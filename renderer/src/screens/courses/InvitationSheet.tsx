import type { InvitationSheet as Sheet } from '../../../../server/contract/courses/courses.ts';
import { spreadsheetOf } from '../../../../server/contract/csv.ts';
import { Button } from '../../components/Button.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { EmptyState } from '../../components/Empty.tsx';
import { QrCode } from '../../components/QrCode.tsx';
import { formatInstant } from '../../format/time.ts';
import { reachableLink } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';
import type { CourseDialogProps } from './course-props.ts';

const t = text.courses.sheet;

/** The sign-in links of members: a page to print, or a file to mail. The bench shows them only once. */
export function InvitationSheet({ course, sheet, onClose }: CourseDialogProps & { sheet: Sheet }) {
  const links = sheet.map((one) => ({ ...one, url: reachableLink(one.url) }));
  const rows = links.map(({ name, email, url, expires_at }) => [name, email, url, expires_at]);
  const save = () =>
    saveFile(`${course.course_id}-links.csv`, spreadsheetOf([t.columns, ...rows]), 'text/csv');
  return (
    <section className="stack course-sheet" aria-label={t.title}>
      <div className="row course-sheet-tools">
        <p>{t.text}</p>
        <span className="row push">
          <Button icon="download" disabled={sheet.length === 0} onClick={() => void save()}>
            {t.csv}
          </Button>
          <Button kind="primary" disabled={sheet.length === 0} onClick={() => window.print()}>
            {t.print}
          </Button>
          <Button onClick={onClose}>{t.done}</Button>
        </span>
      </div>
      {sheet.length === 0 ? (
        <EmptyState icon="complete" title={t.none} text={t.noneText} />
      ) : (
        <ul className="tiles course-slips">
          {links.map(({ username, name, url, expires_at }) => (
            <li key={username}>
              <QrCode value={url} label={text.access.qr(name)} size={132} />
              <div>
                <h3>{name}</h3>
                <p>{course.name}</p>
                <p className="mono course-link">{url}</p>
                <p className="muted">{t.once(formatInstant(Date.parse(expires_at)).slice(0, 16))}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

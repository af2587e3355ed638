import { ActButton } from '../../components/ActButton.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { QrCode } from '../../components/QrCode.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { href } from '../../state/page/routes.ts';
import { addressFor } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';
import type { CourseDialogProps } from './course-props.ts';

const t = text.courses.code;

/** The code with which people join the course: large, for a projector. */
export function CourseCode({ course, reload, onClose }: CourseDialogProps) {
  const { service } = useBench();
  const { status } = useBenchStore((client) => client.status);
  const { course_id, code } = course;
  const [page, addresses] = [new URL(window.location.href), status?.lan.addresses ?? []];
  const link = code === null ? undefined : addressFor(href({ kind: 'course', code }), page, addresses);
  return (
    <Dialog
      title={t.title}
      size="medium"
      onClose={onClose}
      actions={
        <>
          {code !== null && (
            <ActButton run={() => service.closeCourseCode({ course_id })} onDone={reload}>
              {t.end}
            </ActButton>
          )}
          <ActButton
            kind={code === null ? 'primary' : 'plain'}
            run={() => service.openCourseCode({ course_id })}
            onDone={reload}
          >
            {code === null ? t.open : t.renew}
          </ActButton>
        </>
      }
    >
      {link === undefined ? (
        <p>{t.closed}</p>
      ) : (
        <div className="stack course-code">
          <p className="mono course-code-word">{code}</p>
          <QrCode value={link.address} label={t.qr} size={280} />
          <CopyText value={link.address} label={text.access.link} />
          <p className="muted">{t.text}</p>
          {link.onlyHere && <p className="notice">{text.access.linkLocal}</p>}
        </div>
      )}
    </Dialog>
  );
}

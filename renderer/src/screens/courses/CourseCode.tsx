import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { QrCode } from '../../components/QrCode.tsx';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { href } from '../../state/page/routes.ts';
import { addressFor } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';
import type { CourseProps } from './course-props.ts';

const t = text.courses.code;

/** The code with which people join the course: large, for a projector. */
export function CourseCode({ course, reload, onClose }: CourseProps & { onClose(): void }) {
  const { service } = useBench();
  const { busy, act } = useAct(reload);
  const { status } = useBenchStore((client) => client.status);
  const { course_id, code } = course;
  const open = () => act(() => service.openCourseCode({ course_id }));
  const end = () => act(() => service.closeCourseCode({ course_id }));
  const link =
    code === null
      ? undefined
      : addressFor(
          href({ kind: 'course', code }),
          new URL(window.location.href),
          status?.lan.addresses ?? [],
        );
  return (
    <Dialog
      title={t.title}
      size="medium"
      onClose={onClose}
      actions={
        <>
          {code !== null && (
            <Button busy={busy} disabled={busy} onClick={() => void end()}>
              {t.end}
            </Button>
          )}
          <Button
            kind={code === null ? 'primary' : 'plain'}
            busy={busy}
            disabled={busy}
            onClick={() => void open()}
          >
            {code === null ? t.open : t.renew}
          </Button>
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

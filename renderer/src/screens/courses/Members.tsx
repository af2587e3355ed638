import { useState } from 'react';
import type {
  CourseRole,
  MemberView,
  InvitationSheet as Sheet,
} from '../../../../server/contract/courses/courses.ts';
import { COURSE_ROLES } from '../../../../server/contract/courses/words.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState } from '../../components/Empty.tsx';
import { Select } from '../../components/Field.tsx';
import { Form } from '../../components/Form.tsx';
import { Menu } from '../../components/Menu.tsx';
import { type Column, Table } from '../../components/Table.tsx';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { AddMembers } from './AddMembers.tsx';
import { CourseCode } from './CourseCode.tsx';
import type { CourseDialogProps, CourseProps } from './course-props.ts';
import { InvitationSheet } from './InvitationSheet.tsx';
import { saveMemberData } from './member-data.ts';
import { SharesFields } from './SharesFields.tsx';

const t = text.courses.members;

const ROLES = COURSE_ROLES.map((value) => ({ value, label: text.courses.roles[value] }));

/** The members of a course: lists, links, roles, shares, and a person's data. */
export function Members({ course, reload }: CourseProps) {
  const { service } = useBench();
  const { busy, act, ask } = useAct(reload);
  const [open, setOpen] = useState<'add' | 'code' | MemberView | Sheet>();
  const { course_id, members } = course;
  const dialog = { course, reload, onClose: () => setOpen(undefined) };
  const setRole = (username: string, role: CourseRole) =>
    act(() => service.changeMember({ course_id, username, body: { role } }));
  const invite = (usernames?: string[]) =>
    act(async () =>
      setOpen(await service.inviteMembers({ course_id, body: usernames ? { usernames } : {} })),
    );
  const saveData = (username: string) => act(() => saveMemberData(service, course_id, username));
  const leave = ({ username, name }: MemberView, how: 'removeMember' | 'eraseMember') =>
    ask({ ...t[how], title: t[how].title(name) }, () => service[how]({ course_id, username }));
  const actions = (member: MemberView) => [
    { label: t.sharesOf, run: () => setOpen(member) },
    { label: t.invite, run: () => void invite([member.username]) },
    { label: t.export, run: () => void saveData(member.username) },
    { label: t.removeMember.confirm, run: () => leave(member, 'removeMember') },
    { label: t.eraseMember.confirm, run: () => leave(member, 'eraseMember') },
  ];
  // Narrow pages leave some out.
  const columns: Column<MemberView>[] = [
    { head: t.columns.name, cell: ({ name }) => name },
    {
      head: t.columns.username,
      className: 'course-wide',
      cell: ({ username }) => <span className="mono">{username}</span>,
    },
    { head: t.columns.email, className: 'course-wide', cell: ({ email }) => email },
    {
      head: t.columns.role,
      cell: ({ username, name, role }) => (
        <Select
          className="course-select"
          aria-label={t.roleOf(name)}
          value={role}
          disabled={busy}
          options={ROLES}
          onChange={(event) => void setRole(username, event.target.value as CourseRole)}
        />
      ),
    },
    {
      head: t.columns.state,
      cell: ({ signed_in, invited }) => (signed_in ? t.signedIn : invited ? t.invited : t.notInvited),
    },
    {
      head: t.columns.used,
      num: true,
      className: 'course-wide',
      cell: ({ used }) => Math.round(used.day_minutes),
    },
    {
      head: <span className="sr-only">{t.columns.actions}</span>,
      cell: (member) => (
        <Menu label={t.actionsOf(member.name)} icon="more" iconOnly items={() => actions(member)} />
      ),
    },
  ];
  if (Array.isArray(open)) return <InvitationSheet {...dialog} sheet={open} />;
  return (
    <>
      <div className="row">
        <p className="muted">{t.count(members.length)}</p>
        <span className="row push">
          {/* A sheet on its way takes the place of the members and of their dialogs. */}
          <Button disabled={busy} onClick={() => setOpen('code')}>
            {course.code === null ? t.code : t.codeOpen(course.code)}
          </Button>
          <Button disabled={busy || members.length === 0} onClick={() => void invite()}>
            {t.sheet}
          </Button>
          <Button kind="primary" icon="plus" disabled={busy} onClick={() => setOpen('add')}>
            {t.add}
          </Button>
        </span>
      </div>
      {members.length === 0 ? (
        <EmptyState icon="user" title={t.none} text={t.noneText} />
      ) : (
        <Table
          label={text.courses.tabs.members}
          columns={columns}
          rows={members}
          keyOf={({ username }) => username}
        />
      )}
      {open === 'add' && <AddMembers {...dialog} />}
      {open === 'code' && <CourseCode {...dialog} />}
      {typeof open === 'object' && <MemberShares {...dialog} member={open} />}
    </>
  );
}

function MemberShares({
  course: { course_id },
  reload,
  member: { username, name, shares: own },
  onClose,
}: CourseDialogProps & { member: MemberView }) {
  const { service } = useBench();
  const [shares, setShares] = useState(own ?? {});
  const save = async (changed: MemberView['shares']) => {
    await service.changeMember({ course_id, username, body: { shares: changed } });
    reload();
    onClose();
  };
  const asCourse = <ActButton run={() => save(null)}>{t.asCourse}</ActButton>;
  return (
    <Dialog title={t.sharesTitle(name)} size="medium" onClose={onClose}>
      <Form run={() => save(shares)} action={text.save} others={asCourse}>
        <p className="muted">{t.sharesText}</p>
        <SharesFields shares={shares} onChange={setShares} />
      </Form>
    </Dialog>
  );
}

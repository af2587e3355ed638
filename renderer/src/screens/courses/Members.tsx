import { useState } from 'react';
import type {
  CourseRole,
  MemberChange,
  MemberView,
  InvitationSheet as Sheet,
} from '../../../../server/contract/courses/courses.ts';
import { COURSE_ROLES } from '../../../../server/contract/courses/words.ts';
import { Button } from '../../components/Button.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState } from '../../components/Empty.tsx';
import { Menu } from '../../components/Menu.tsx';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench } from '../../state/client/context.tsx';
import { askFirst } from '../../state/page/dialogs.ts';
import { text } from '../../text/text.ts';
import { AddMembers } from './AddMembers.tsx';
import { CourseCode } from './CourseCode.tsx';
import type { CourseProps } from './course-props.ts';
import { InvitationSheet } from './InvitationSheet.tsx';
import { saveMemberData } from './member-data.ts';
import { SharesFields } from './SharesFields.tsx';

const t = text.courses.members;

/** With the class of each; narrow pages leave some out. */
const COLUMNS = [
  ['name'],
  ['username', 'course-wide'],
  ['email', 'course-wide'],
  ['role'],
  ['state'],
  ['used', 'num course-wide'],
] as const;

/** The members of a course: lists, links, roles, shares, and a person's data. */
export function Members({ course, reload }: CourseProps) {
  const { service, questions } = useBench();
  const { busy, act } = useAct(reload);
  const [open, setOpen] = useState<'add' | 'code' | MemberView>();
  const [sheet, setSheet] = useState<Sheet>();
  const { course_id, members } = course;
  const close = () => setOpen(undefined);
  const change = (username: string, body: MemberChange) =>
    act(() => service.changeMember({ course_id, username, body }));
  const invite = (usernames?: string[]) =>
    act(async () =>
      setSheet(await service.inviteMembers({ course_id, body: usernames ? { usernames } : {} })),
    );
  const saveData = (username: string) => act(() => saveMemberData(service, course_id, username));
  const leave = ({ username, name }: MemberView, how: 'removeMember' | 'eraseMember') =>
    askFirst(questions, {
      title: t[how].title(name),
      text: t[how].text,
      confirm: t[how].confirm,
      run: () => void act(() => service[how]({ course_id, username })),
    });
  const actions = (member: MemberView) => () => [
    { label: t.sharesOf, run: () => setOpen(member) },
    { label: t.invite, run: () => void invite([member.username]) },
    { label: t.export, run: () => void saveData(member.username) },
    { label: t.removeMember.confirm, run: () => leave(member, 'removeMember') },
    { label: t.eraseMember.confirm, run: () => leave(member, 'eraseMember') },
  ];
  if (sheet) return <InvitationSheet course={course} sheet={sheet} onClose={() => setSheet(undefined)} />;
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
        <EmptyState icon="user" title={t.none}>
          {t.noneText}
        </EmptyState>
      ) : (
        <div className="scroll-x">
          <table className="figures" aria-label={text.courses.tabs.members}>
            <thead>
              <tr>
                {COLUMNS.map(([name, className]) => (
                  <th key={name} scope="col" className={className}>
                    {t.columns[name]}
                  </th>
                ))}
                <th scope="col">
                  <span className="sr-only">{t.columns.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {members.map((member) => (
                <tr key={member.username}>
                  <th scope="row">{member.name}</th>
                  <td className="mono course-wide">{member.username}</td>
                  <td className="course-wide">{member.email}</td>
                  <td>
                    <select
                      className="input course-select"
                      aria-label={t.roleOf(member.name)}
                      value={member.role}
                      disabled={busy}
                      onChange={(event) =>
                        void change(member.username, { role: event.target.value as CourseRole })
                      }
                    >
                      {COURSE_ROLES.map((role) => (
                        <option key={role} value={role}>
                          {text.courses.roles[role]}
                        </option>
                      ))}
                    </select>
                  </td>
                  <td>{member.signed_in ? t.signedIn : member.invited ? t.invited : t.notInvited}</td>
                  <td className="num course-wide">{Math.round(member.used.day_minutes)}</td>
                  <td>
                    <Menu label={t.actionsOf(member.name)} icon="more" iconOnly items={actions(member)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {open === 'add' && <AddMembers course={course} reload={reload} onClose={close} />}
      {open === 'code' && <CourseCode course={course} reload={reload} onClose={close} />}
      {typeof open === 'object' && (
        <MemberShares
          member={open}
          onClose={close}
          onSave={async (shares) => {
            if (await change(open.username, { shares })) close();
          }}
        />
      )}
    </>
  );
}

function MemberShares({
  member,
  onClose,
  onSave,
}: {
  member: MemberView;
  onClose(): void;
  onSave(shares: MemberView['shares']): void;
}) {
  const [shares, setShares] = useState(member.shares ?? {});
  return (
    <Dialog
      title={t.sharesTitle(member.name)}
      size="medium"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => onSave(null)}>{t.asCourse}</Button>
          <Button kind="primary" onClick={() => onSave(shares)}>
            {text.save}
          </Button>
        </>
      }
    >
      <p className="muted">{t.sharesText}</p>
      <SharesFields shares={shares} onChange={setShares} />
    </Dialog>
  );
}

import { useState } from 'react';
import { TextField } from '../../components/Field.tsx';
import { useBench, usePreference } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { JoinPanel } from '../join/JoinPanel.tsx';

const t = text.courses.join;

/** The page of a course's code: asks for a name, makes the person a member and signs in. */
export default function JoinCourse({ code }: { code: string }) {
  const { service } = useBench();
  const [name, setName] = useState(usePreference('name'));
  const join = async () => {
    const joined = await service.joinCourse({ body: { code, name: name.trim() } });
    const { course_id: course, username, api_key: apiKey } = joined;
    return { username, apiKey, route: { kind: 'courses', course, tab: undefined } } as const;
  };
  return (
    <JoinPanel title={t.title} action={t.join} disabled={name.trim() === ''} join={join}>
      <p>{t.text}</p>
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        maxLength={128}
        autoComplete="name"
        onChange={(event) => setName(event.target.value)}
      />
    </JoinPanel>
  );
}

import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Switch, TextField } from '../../components/Field.tsx';
import { useAct } from '../../state/actions/use-act.ts';
import { useBench, usePreference } from '../../state/client/context.tsx';
import { navigateLater } from '../../state/page/router.ts';
import { showToast } from '../../state/page/toasts.ts';
import { text } from '../../text/text.ts';
import './courses.css';

const t = text.courses.join;

/** The page of a course's code: asks for a name, makes the person a member and signs in. */
export default function JoinCourse({ code }: { code: string }) {
  const client = useBench();
  const known = usePreference('name');
  const [name, setName] = useState(known);
  const [kept, setKept] = useState(true);
  const { busy, error, submit } = useAct(undefined, { inline: true });
  const join = submit(async () => {
    const goOn = navigateLater();
    const { course_id, username, api_key } = await client.service.joinCourse({
      body: { code, name: name.trim() },
    });
    if (api_key !== null) client.signIn({ apiKey: api_key, username, minted: true, kept });
    // Back must not lead to the code again.
    goOn({ kind: 'courses', course: course_id, tab: undefined }, true);
    showToast(client.toasts, { tone: 'good', text: text.access.joined(username) });
  });
  return (
    <section className="screen" aria-label={t.title}>
      <div className="screen-body course-join">
        <form className="panel stack" onSubmit={join}>
          <h1>{t.title}</h1>
          <p>{t.text}</p>
          <TextField
            label={t.name}
            hint={t.nameHint}
            value={name}
            maxLength={128}
            autoComplete="name"
            onChange={(event) => setName(event.target.value)}
          />
          <Switch label={text.access.keep} hint={text.access.keepHint} checked={kept} onChange={setKept} />
          {error !== undefined && <InlineError error={error} />}
          <div className="row-end">
            <Button kind="primary" type="submit" busy={busy} disabled={busy || name.trim() === ''}>
              {t.join}
            </Button>
          </div>
        </form>
      </div>
    </section>
  );
}

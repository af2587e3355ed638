import { type ReactNode, useState } from 'react';
import { Switch } from '../../components/Field.tsx';
import { Form } from '../../components/Form.tsx';
import { useBench } from '../../state/client/context.tsx';
import { navigateLater } from '../../state/page/router.ts';
import type { Route } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import './join.css';

const t = text.access;

/** What joining gives: the user, with a key unless the caller had one, and where to go. */
interface Joined {
  username: string;
  apiKey: string | null;
  route: Route;
}

/** Asks before it signs in: programs that preview links must not use them up. */
export function JoinPanel({
  title,
  children,
  action,
  disabled = false,
  join,
}: {
  title: string;
  children: ReactNode;
  /** Text of the button. */
  action: string;
  disabled?: boolean;
  join(): Promise<Joined>;
}) {
  const client = useBench();
  const [kept, setKept] = useState(true);
  const run = async () => {
    const goOn = navigateLater();
    const { username, apiKey, route } = await join();
    if (apiKey !== null) client.signIn({ apiKey, username, minted: true, kept });
    // Back must not lead to the link again.
    goOn(route, true);
    return t.joined(username);
  };
  return (
    <section className="screen" aria-label={title}>
      <div className="screen-body join">
        <Form className="panel" run={run} action={action} disabled={disabled}>
          <h1>{title}</h1>
          {children}
          <Switch label={t.keep} hint={t.keepHint} checked={kept} onChange={setKept} />
        </Form>
      </div>
    </section>
  );
}

import { approveRequest, declineRequest, extendSession } from '../../state/actions/control.ts';
import { useBench, useNode, useNodes } from '../../state/client/context.tsx';
import { openRequests } from '../../state/notices/requests.ts';
import { warningsAt } from '../../state/notices/sessions.ts';
import type { About } from '../../state/page/notices.ts';
import { href, type Route } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { Button } from '../Button.tsx';

const t = text.notices;

/** Where a notice leads. */
function routeOf(about: About): Route {
  if (about.kind === 'course') return { kind: 'courses', course: about.course, tab: 'wall' };
  const { node } = about;
  return about.kind === 'job'
    ? { kind: 'node', node, tab: 'log', job: about.job }
    : { kind: 'node', node, tab: undefined, job: undefined };
}

/** Approve and Decline of an open request; nothing once it is answered. */
export function RequestActions({ node, owner }: { node: number; owner: string }) {
  const client = useBench();
  const nodes = useNodes();
  if (!openRequests(nodes, client.owner).some((open) => open.node === node && open.owner === owner))
    return null;
  return (
    <>
      <Button
        kind="primary"
        aria-label={t.approveOf(owner, node)}
        onClick={() => void approveRequest(client, node, owner)}
      >
        {t.approve}
      </Button>
      <Button aria-label={t.declineOf(owner, node)} onClick={() => void declineRequest(client, node, owner)}>
        {t.decline}
      </Button>
    </>
  );
}

/** Extends the own session of a node, while its end is near. */
export function ExtendAction({ node: id }: { node: number }) {
  const client = useBench();
  const session = useNode(id)?.session;
  if (session?.owner !== client.owner) return null;
  if (Date.parse(session.expires_at) - Date.now() > warningsAt(client)[0] * 1000) return null;
  return (
    <Button aria-label={t.extendOf(id)} onClick={() => void extendSession(client, id)}>
      {t.extend}
    </Button>
  );
}

/** The actions that a notice still offers. */
export function NoticeActions({ about }: { about: About | undefined }) {
  if (about?.kind === 'request') return <RequestActions node={about.node} owner={about.owner} />;
  if (about?.kind === 'session') return <ExtendAction node={about.node} />;
  return null;
}

/** The sentence of a notice, as a link to what it is about. */
export function NoticeText({ text: sentence, about }: { text: string; about: About | undefined }) {
  return about ? <a href={href(routeOf(about))}>{sentence}</a> : sentence;
}

import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { JoinPanel } from './JoinPanel.tsx';

const t = text.access;

/** The screen of an invitation. */
export default function JoinScreen({ code }: { code: string }) {
  const { service } = useBench();
  const signedIn = useBenchStore(
    ({ identity }) => identity,
    (identity) => identity.signedIn,
  );
  const join = async () => {
    const { api_key: apiKey, owner: username } = await service.redeemInvite({ body: { code } });
    return { username, apiKey, route: { kind: 'bench' } } as const;
  };
  return (
    <JoinPanel title={t.joinTitle} action={t.join} join={join}>
      <p>{signedIn ? t.joinInstead(signedIn.username) : t.joinText}</p>
    </JoinPanel>
  );
}

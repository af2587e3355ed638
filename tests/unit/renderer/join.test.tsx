import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import JoinScreen from '../../../renderer/src/screens/join/JoinScreen.tsx';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

/** Signs in with an invitation; the service answers after `meanwhile`. Resolves to the address afterwards. */
async function signIn(meanwhile: () => void): Promise<string> {
  let answer: (key: object) => void = () => {};
  const service = new FakeService().on(
    'POST /auth/invites/redeem',
    () => new Promise((resolve) => (answer = resolve)),
  );
  window.location.hash = '#/join/wbi_x';
  const { client } = await show(<JoinScreen code="wbi_x" />, service);
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  await expect.poll(() => service.asked.some(({ method }) => method === 'POST')).toBe(true);
  meanwhile();
  answer({ api_key: 'k', owner: 'ada' });
  await expect.poll(() => client.owner).toBe('ada');
  return window.location.hash;
}

test('an invitation leads to the bench', async () => {
  expect(await signIn(() => {})).toBe('#/');
});

test('a person who has gone elsewhere during the sign-in stays there', async () => {
  const hash = await signIn(() => {
    window.location.hash = '#/courses';
  });
  expect(hash).toBe('#/courses');
});

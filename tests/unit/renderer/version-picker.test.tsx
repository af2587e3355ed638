import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, test } from 'vitest';
import type { VersionChoice } from '../../../renderer/src/screens/node/use-comparison.ts';
import type { Version } from '../../../renderer/src/screens/node/use-versions.ts';
import { VersionPicker } from '../../../renderer/src/screens/node/VersionPicker.tsx';

const version = (job_id: string): Version =>
  ({ job_id, at: '2026-01-01T00:00:00.000Z', ok: true, fmax: null, source_sha256: 'a' }) as Version;

test('any two versions can be compared: the second is chosen once there is a first', () => {
  let latest: VersionChoice = { shown: undefined, original: undefined };
  function Picker() {
    const [choice, choose] = useState(latest);
    latest = choice;
    return (
      <VersionPicker versions={['own', 'a', 'b'].map(version)} own="own" choice={choice} onChoose={choose} />
    );
  }
  render(<Picker />);
  const valuesOf = (label: string) =>
    [...screen.getByLabelText<HTMLSelectElement>(label).options].map(({ value }) => value);
  expect(screen.queryByLabelText('Version to compare')).toBeNull();
  expect(valuesOf('Compare with a version')).toEqual(['', 'a', 'b']);
  fireEvent.change(screen.getByLabelText('Compare with a version'), { target: { value: 'a' } });
  expect(valuesOf('Version to compare')).toEqual(['', 'b']);
  fireEvent.change(screen.getByLabelText('Version to compare'), { target: { value: 'b' } });
  expect(latest).toEqual({ shown: 'b', original: 'a' });
  fireEvent.change(screen.getByLabelText('Compare with a version'), { target: { value: '' } });
  expect(latest).toEqual({ shown: undefined, original: undefined });
});

import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Button } from '../../../renderer/src/components/Button.tsx';

test('a focused button that is disabled keeps the focus, does nothing, and works again when it is enabled', () => {
  let pressed = 0;
  const button = (disabled: boolean) => (
    <Button disabled={disabled} onClick={() => pressed++}>
      Read all
    </Button>
  );
  const { rerender } = render(button(false));
  const shown = screen.getByRole<HTMLButtonElement>('button');
  act(() => shown.focus());
  rerender(button(true));
  expect(document.activeElement).toBe(shown);
  expect(shown.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(shown);
  expect(pressed).toBe(0);
  rerender(button(false));
  expect(shown.getAttribute('aria-disabled')).toBeNull();
  fireEvent.click(shown);
  expect(pressed).toBe(1);
  rerender(button(true));
  act(() => shown.blur());
  expect(shown.disabled).toBe(true);
  rerender(button(false));
  expect(shown.disabled).toBe(false);
});

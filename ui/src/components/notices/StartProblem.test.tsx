import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { startWords } from '@/base/words';
import type { Problem } from '@/ipc/bindings';
import { cleanUp } from '@/test/cleanup';
import { keysClaimed, precondition } from '@/test/samples';
import { StartProblem } from './StartProblem';

let pressed: string[] = [];

beforeAll(() => startWords());
beforeEach(() => {
  pressed = [];
});
afterEach(cleanUp);

function note(problem: Problem | null, busy = false) {
  return (
    <MantineProvider>
      <StartProblem problem={problem} busy={busy} again={() => pressed.push('again')} skip={() => pressed.push('skip')} />
    </MantineProvider>
  );
}

test('what a colleague is sending is tried again or skipped, and the buttons keep their place meanwhile', () => {
  const { rerender } = render(note(keysClaimed()));
  expect(screen.getByTestId('claimed').textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx');
  fireEvent.click(screen.getByTestId('claimed-again'));
  fireEvent.click(screen.getByTestId('claimed-skip'));
  expect(pressed).toEqual(['again', 'skip']);
  rerender(note(null, true));
  expect(screen.getByTestId<HTMLButtonElement>('claimed-again').disabled).toBe(true);
  expect(screen.getByTestId<HTMLButtonElement>('claimed-skip').disabled).toBe(true);
  rerender(note(null));
  expect(screen.queryByTestId('claimed')).toBeNull();
  rerender(note(null, true));
  expect(screen.queryByTestId('claimed')).toBeNull();
});

test('any other problem is only said', () => {
  render(note(precondition('is-running')));
  expect(screen.getByTestId('problem').dataset['code']).toBe('precondition');
  expect(screen.queryByTestId('claimed')).toBeNull();
});

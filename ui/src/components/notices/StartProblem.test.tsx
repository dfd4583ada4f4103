import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import type { Problem } from '@/ipc/bindings';
import { cleanUp } from '@/test/cleanup';
import { keysClaimedProblem, preconditionProblem } from '@/test/samples';
import { StartProblem } from './StartProblem';

let pressedButtons: string[] = [];

beforeAll(() => initTranslations());
beforeEach(() => {
  pressedButtons = [];
});
afterEach(cleanUp);

function startProblem(problem: Problem | null, busy = false) {
  return (
    <MantineProvider>
      <StartProblem problem={problem} busy={busy} retry={() => pressedButtons.push('again')} skipClaimed={() => pressedButtons.push('skip')} />
    </MantineProvider>
  );
}

test('what a colleague is sending is tried again or skipped, and the buttons keep their place meanwhile', () => {
  const { rerender } = render(startProblem(keysClaimedProblem()));
  expect(screen.getByTestId('claimed').textContent).toContain('bert@pc7 is sending 2 of these rows from week.xlsx');
  fireEvent.click(screen.getByTestId('claimed-again'));
  fireEvent.click(screen.getByTestId('claimed-skip'));
  expect(pressedButtons).toEqual(['again', 'skip']);
  rerender(startProblem(null, true));
  expect(screen.getByTestId<HTMLButtonElement>('claimed-again').disabled).toBe(true);
  expect(screen.getByTestId<HTMLButtonElement>('claimed-skip').disabled).toBe(true);
  rerender(startProblem(null));
  expect(screen.queryByTestId('claimed')).toBeNull();
  rerender(startProblem(null, true));
  expect(screen.queryByTestId('claimed')).toBeNull();
});

test('any other problem is only said', () => {
  render(startProblem(preconditionProblem('is-running')));
  expect(screen.getByTestId('problem').dataset['code']).toBe('precondition');
  expect(screen.queryByTestId('claimed')).toBeNull();
});

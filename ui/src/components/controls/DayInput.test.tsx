import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { initTranslations } from '@/base/words';
import { mockIPC } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { DayInput } from './DayInput';

beforeAll(initTranslations);
afterEach(cleanUp);

function DayForm() {
  const [day, setDay] = useState('2026-11-30');
  return (
    <>
      <DayInput label="Day" day={day} change={setDay} testId="day" />
      <output data-testid="chosen">{day}</output>
    </>
  );
}

function renderForm(): HTMLInputElement {
  mockIPC(() => undefined);
  render(
    <PreferencesProvider first={{ language: 'de', look: 'light', density: 'compact' }}>
      <MantineProvider>
        <DayForm />
      </MantineProvider>
    </PreferencesProvider>,
  );
  return screen.getByTestId('day');
}

test('a year of two digits is understood, and a text that is no day stays with the reason', () => {
  const input = renderForm();
  fireEvent.focus(input);
  fireEvent.change(input, { target: { value: '1.12.26' } });
  fireEvent.blur(input);
  expect(screen.getByTestId('chosen').textContent).toBe('2026-12-01');
  fireEvent.focus(input);
  fireEvent.change(input, { target: { value: 'morgen' } });
  fireEvent.blur(input);
  expect(input.value).toBe('morgen');
  expect(document.body.textContent).toContain('30.11.2026');
  expect(screen.getByTestId('chosen').textContent).toBe('2026-12-01');
  fireEvent.change(input, { target: { value: '' } });
  fireEvent.blur(input);
  expect(document.body.textContent).not.toContain('30.11.2026');
});

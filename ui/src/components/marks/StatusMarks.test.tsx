import { render, screen } from '@testing-library/react';
import { beforeAll, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { ResultMark } from './StatusMarks';
import { StatusPill } from './StatusPill';

beforeAll(initTranslations);

test('a result is a pill whose sign is hidden from screen readers', () => {
  render(<ResultMark result="unconfirmed" />);
  const pill = document.querySelector('[data-tone]');
  expect(pill?.getAttribute('data-tone')).toBe('warning');
  expect(pill?.querySelector('[aria-hidden="true"]')?.textContent).toBe('?');
});

test('a pill has a tone, a sign and a word', () => {
  render(
    <StatusPill tone="bad" sign="✕" testId="pill">
      failing
    </StatusPill>,
  );
  const pill = screen.getByTestId('pill');
  expect(pill.dataset).toMatchObject({ tone: 'bad', large: 'false' });
  expect(pill.textContent).toBe('✕failing');
});

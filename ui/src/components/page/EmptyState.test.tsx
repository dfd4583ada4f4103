import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { EmptyState } from './EmptyState';

test('an empty state has a picture that screen readers skip, a sentence and a button', () => {
  render(<EmptyState picture="search" text="No setting matches." action={<button type="button">Clear</button>} testId="empty" />);
  const empty = screen.getByTestId('empty');
  expect(empty.textContent).toBe('No setting matches.Clear');
  const picture = empty.querySelector('svg');
  expect([picture?.getAttribute('data-picture'), picture?.getAttribute('aria-hidden')]).toEqual(['search', 'true']);
});

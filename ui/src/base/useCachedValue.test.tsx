import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { useCachedValue } from './useCachedValue';

function Field() {
  const client = useQueryClient();
  const text = useCachedValue<string>(['text']) ?? '';
  return <input aria-label="text" value={text} onChange={(event) => client.setQueryData(['text'], event.currentTarget.value)} />;
}

test('a field keeps what is typed before the query has told its components', () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Field />
    </QueryClientProvider>,
  );
  const field = screen.getByLabelText<HTMLInputElement>('text');
  for (const key of 'abc') fireEvent.change(field, { target: { value: field.value + key } });
  expect(field.value).toBe('abc');
});

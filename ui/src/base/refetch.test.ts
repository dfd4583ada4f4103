import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';

import { refetchQueries } from './refetch';

it('reads once more what was being read while it changed, also the first time', async () => {
  const client = new QueryClient();
  let [value, reads] = [1, 0];
  const answers: (() => void)[] = [];
  const queryFn = () => {
    reads += 1;
    const seen = value;
    return new Promise<number>((resolve) => answers.push(() => resolve(seen)));
  };
  const observer = new QueryObserver(client, { queryKey: ['held'], queryFn });
  const stop = observer.subscribe(() => undefined);
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  value = 2;
  const all = Promise.all([refetchQueries(client, ['held']), refetchQueries(client, ['held']), refetchQueries(client, ['held'])]);
  answers[0]?.();
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1]?.();
  await all;
  expect([observer.getCurrentResult().data, reads]).toEqual([2, 2]);
  stop();
});

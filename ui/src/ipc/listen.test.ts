import { expect, test, vi } from 'vitest';

import { listen } from './listen';

function slowSource() {
  let begin: (stop: () => void) => void = () => undefined;
  const listening = new Promise<() => void>((resolve) => (begin = resolve));
  return { source: { listen: () => listening }, begin };
}

test('who has to ask again is told once listening has begun', async () => {
  const { source, begin } = slowSource();
  const onStart = vi.fn<() => void>();
  listen(source, () => undefined, onStart);
  await Promise.resolve();
  expect(onStart).not.toHaveBeenCalled();
  begin(() => undefined);
  await vi.waitFor(() => expect(onStart).toHaveBeenCalledOnce());
});

test('who stopped before listening began is told nothing, and listening ends', async () => {
  const { source, begin } = slowSource();
  const [onStart, stop] = [vi.fn<() => void>(), vi.fn<() => void>()];
  listen(source, () => undefined, onStart)();
  begin(stop);
  await vi.waitFor(() => expect(stop).toHaveBeenCalledOnce());
  expect(onStart).not.toHaveBeenCalled();
});

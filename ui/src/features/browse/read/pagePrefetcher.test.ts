import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { StoredPage } from '@/ipc/bindings';
import { createPagePrefetcher } from './pagePrefetcher';

let reads: { page: number; signal: AbortSignal }[] = [];

beforeEach(() => {
  reads = [];
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function ahead() {
  const read = (page: number) => (signal: AbortSignal) => {
    reads.push({ page, signal });
    return new Promise<StoredPage>(() => undefined);
  };
  return createPagePrefetcher<number>(read, (one, other) => one === other);
}

test('a page is asked for once, and given once', () => {
  const pages = ahead();
  pages.begin(2);
  pages.begin(2);
  expect(reads.map(({ page }) => page)).toEqual([2]);
  expect(pages.take(3, new AbortController().signal)).toBeNull();
  expect(pages.take(2, new AbortController().signal)).not.toBeNull();
  expect(pages.take(2, new AbortController().signal)).toBeNull();
  expect(reads[0]?.signal.aborted).toBe(false);
});

test('a page that has come is given at once, and once', async () => {
  const come = { set: 1 } as StoredPage;
  const pages = createPagePrefetcher<number>((page) => () => Promise.resolve({ ...come, page }), (one, other) => one === other);
  pages.begin(2);
  expect(pages.takeReady(2)).toBeNull();
  await Promise.resolve();
  expect([3, 2, 2].map((page) => pages.takeReady(page))).toEqual([null, { ...come, page: 2 }, null]);
  pages.begin(2);
  await Promise.resolve();
  pages.begin(3);
  expect(pages.takeReady(2)).toBeNull();
});

test('what nobody took ends with the next, and what was taken with whoever took it', () => {
  const pages = ahead();
  pages.begin(2);
  pages.begin(3);
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  const taker = new AbortController();
  void pages.take(3, taker.signal);
  pages.end();
  expect(reads[1]?.signal.aborted).toBe(false);
  taker.abort();
  expect(reads[1]?.signal.aborted).toBe(true);
});

test('a page that is older than a look at the one before is asked for again', () => {
  const pages = ahead();
  pages.begin(2);
  vi.advanceTimersByTime(10_500);
  expect(pages.take(2, new AbortController().signal)).toBeNull();
  pages.begin(2);
  expect(reads).toHaveLength(2);
});

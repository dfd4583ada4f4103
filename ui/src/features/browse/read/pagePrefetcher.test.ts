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

function createPrefetcher() {
  const read = (page: number) => (signal: AbortSignal) => {
    reads.push({ page, signal });
    return new Promise<StoredPage>(() => undefined);
  };
  return createPagePrefetcher<number>(read, (one, other) => one === other);
}

test('a page is asked for once, and given once', () => {
  const pages = createPrefetcher();
  pages.prefetch(2);
  pages.prefetch(2);
  expect(reads.map(({ page }) => page)).toEqual([2]);
  expect(pages.takeRequest(3, new AbortController().signal)).toBeNull();
  expect(pages.takeRequest(2, new AbortController().signal)).not.toBeNull();
  expect(pages.takeRequest(2, new AbortController().signal)).toBeNull();
  expect(reads[0]?.signal.aborted).toBe(false);
});

test('a page that has come is given at once, and once', async () => {
  const storedPage = { set: 1 } as StoredPage;
  const pages = createPagePrefetcher<number>((page) => () => Promise.resolve({ ...storedPage, page }), (one, other) => one === other);
  pages.prefetch(2);
  expect(pages.takePage(2)).toBeNull();
  await Promise.resolve();
  expect([3, 2, 2].map((page) => pages.takePage(page))).toEqual([null, { ...storedPage, page: 2 }, null]);
  pages.prefetch(2);
  await Promise.resolve();
  pages.prefetch(3);
  expect(pages.takePage(2)).toBeNull();
});

test('what nobody took ends with the next, and what was taken with whoever took it', () => {
  const pages = createPrefetcher();
  pages.prefetch(2);
  pages.prefetch(3);
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  const controller = new AbortController();
  void pages.takeRequest(3, controller.signal);
  pages.cancel();
  expect(reads[1]?.signal.aborted).toBe(false);
  controller.abort();
  expect(reads[1]?.signal.aborted).toBe(true);
});

test('a page that is older than a look at the one before is asked for again', () => {
  const pages = createPrefetcher();
  pages.prefetch(2);
  vi.advanceTimersByTime(10_500);
  expect(pages.takeRequest(2, new AbortController().signal)).toBeNull();
  pages.prefetch(2);
  expect(reads).toHaveLength(2);
});

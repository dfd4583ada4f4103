import { fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { SubmissionView } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plan, plantOverview, submission } from '@/test/samples';

const counts = { pending: 0, sending: 0, accepted: 0, rejected: 0, unconfirmed: 3, skipped: 0 };
let stored: SubmissionView = submission();

const answers: Record<string, () => unknown> = {
  app_state: () => appState(true),
  operations: () => [operation()],
  plant_overview: () => plantOverview(),
  samples: () => [],
  submission_list: () => [stored],
  submission_get: () => stored,
  plan_get: () => plan(stored),
  submission_rows: () => ({ total: 0, offset: 0, rows: [] }),
  history_list: () => ({ total: 1, offset: 0, submissions: [stored] }),
  history_context: () => ({ chain: [stored], mapping: null }),
  approvals_waiting: () => [],
};

beforeAll(async () => {
  await Promise.all([initTranslations(), import('@/features/history/HistoryPage')]);
});

beforeEach(() => {
  mockWindows('main');
  mockIPC((command) => answers[command]?.(), { shouldMockEvents: true });
});

afterEach(cleanUp);

async function shownHeadline(some: Partial<SubmissionView>): Promise<string | null> {
  stored = submission({ total: 3, items: 3, counts, ...some });
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-history'));
  fireEvent.click(await screen.findByTestId('open-7', {}, { timeout: 20_000 }));
  return (await screen.findByTestId('headline')).textContent;
}

test('unconfirmed rows are never called not accepted', async () => {
  const text = await shownHeadline({ state: 'finished' });
  expect(text).toContain('3 rows unconfirmed on Practice.');
  expect(text).not.toContain('accepted nothing');
});

test('a read-back of unconfirmed rows is not called sending', async () => {
  expect(await shownHeadline({ state: 'running', findingOut: false })).toContain('Looking up unconfirmed rows on Practice');
});

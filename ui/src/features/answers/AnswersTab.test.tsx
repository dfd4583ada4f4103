import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { RuleCheck, Rules } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import { cleanUp } from '@/test/cleanup';
import { appState, operation } from '@/test/samples';

const receiver = { site: 'practice', state: 'on', urls: ['http://127.0.0.1:1/secret'], settings: {}, refused: 0, elsewhere: null };
const stored: Rules = { rules: [] };
const checkWithFault: RuleCheck = { faults: [{ part: 'when', error: true, code: 'syntax', at: null, text: 'x', parameters: {} }] as unknown as RuleCheck['faults'], tried: false };
const untestedCheck: RuleCheck = { faults: [], tried: false };

let check: RuleCheck = checkWithFault;

const answers: Record<string, () => unknown> = {
  app_state: () => appState(true),
  operations: () => [operation()],
  samples: () => [],
  submission_list: () => [],
  receiver_view: () => receiver,
  event_kinds: () => [],
  event_gaps: () => [],
  event_last_query: () => ({ kinds: [], states: [], station: null, employee: null, order: null, text: null, since: null, until: null, site: null, upTo: null, only: [] }),
  event_list: () => ({ offset: 0, rows: [], total: 0, unread: 0 }),
  rules_get: () => ({ version: 0, rules: stored }),
  rules_check: () => [check],
  rule_words: () => ({ events: [], variables: [], order: null, examples: [], unanswered: null }),
};

beforeAll(async () => {
  // The test DOM has no fonts, whose loading a text area observes.
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  await Promise.all([initTranslations(), import('@/features/events/EventsPage')]);
});

beforeEach(() => {
  check = checkWithFault;
  mockWindows('main');
  mockIPC((command) => answers[command]?.() ?? null, { shouldMockEvents: true });
});

afterEach(cleanUp);

test.each([
  [checkWithFault, 'A rule has an error.'],
  [untestedCheck, 'Test them on past events first.'],
  [{ ...untestedCheck, tried: true }, 'Tested, not in use yet.'],
])('rules are only called tested if every rule that is on was tested', async (checked, text) => {
  check = checked;
  render(<App preferences={{ language: 'en', look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-events'));
  fireEvent.click(within(await screen.findByTestId('events-tabs')).getByText('Answers'));
  fireEvent.click(await screen.findByTestId('rule-add'));
  // A new rule is off, so nothing is checked or tested.
  fireEvent.click(await screen.findByTestId('rule-own'));
  await waitFor(() => expect(screen.getByTestId('answers-state').textContent).toBe('Not in use yet.'));
  fireEvent.click(screen.getByTestId('rule-on-0'));
  await waitFor(() => expect(screen.getByTestId('answers-state').textContent).toBe(text));
});

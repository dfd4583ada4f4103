import { render, screen } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { PreferencesProvider } from '@/base/preferences';
import { initTranslations } from '@/base/words';
import { clearMocks, mockIPC } from '@/ipc/mocks';
import { PlanBars } from './PlanBars';

beforeAll(initTranslations);
beforeEach(() => mockIPC(() => null));
afterEach(clearMocks);

test("an order's page draws what is running until now", () => {
  const day = '2026-11-21T';
  const rows = [
    { operation: '10', begin: `${day}06:00:00`, end: `${day}08:00:00`, began: `${day}06:00:00`, ended: `${day}07:00:00` },
    { operation: '20', begin: `${day}07:00:00`, end: `${day}10:00:00`, began: `${day}08:00:00`, ended: null },
  ];
  render(
    <PreferencesProvider first={{ language: 'en', look: 'light', density: 'compact' }}>
      <PlanBars
        rows={rows}
        label={(row) => String(row['operation'])}
        planned={{ begin: 'begin', end: 'end' }}
        actual={{ begin: 'began', end: 'ended' }}
        status={null}
        now={`${day}11:00:00`}
      />
    </PreferencesProvider>,
  );
  const bars = [...screen.getByTestId('order-plan').querySelectorAll<HTMLElement>('[data-open]')];
  expect(bars.map((bar) => [bar.dataset['open'], bar.style.left, bar.style.width])).toEqual([
    ['false', '0%', '20%'],
    ['true', '40%', '60%'],
  ]);
  expect(screen.getByTestId('order-plan').textContent).toMatch(/08:00 – now/u);
});

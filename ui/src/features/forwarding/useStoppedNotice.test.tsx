import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeAll, beforeEach, expect, test } from 'vitest';

import { queryKeys } from '@/base/queryKeys';
import { initTranslations } from '@/base/words';
import type { ForwardTarget } from '@/ipc/bindings';
import { mockIPC } from '@/ipc/mocks';
import { useStoppedNotice } from './useStoppedNotice';

const target = (state: ForwardTarget['state']): ForwardTarget => ({
  id: 1,
  site: 'works',
  name: 'ERP',
  address: 'https://erp.example/events',
  open: false,
  allowHttp: false,
  kinds: [],
  headers: [],
  signs: false,
  state,
  running: false,
  idle: null,
  waiting: 2,
  oldest: null,
  aside: 0,
  took: null,
  miss: { event: 3, fault: 'gone', status: 410, told: '', tries: 1, since: '2026-11-22T06:00:00Z', next: '2026-11-22T06:00:01Z' },
});

let targets: ForwardTarget[] = [];
let notifications: Record<string, unknown>[] = [];

beforeAll(initTranslations);

beforeEach(() => {
  notifications = [];
  mockIPC((command, args) => {
    if (command === 'forward_targets') return targets;
    if (command === 'notify_end') notifications.push(args as Record<string, unknown>);
    return null;
  });
});

test('a target that is stopped is told once, and once more after it went on', async () => {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  targets = [target('up-to-date')];
  const { result } = renderHook(
    () => {
      useStoppedNotice();
      return useQuery<ForwardTarget[]>({ queryKey: queryKeys.forwardTargets, queryFn: () => targets, enabled: false }).data?.[0]?.state;
    },
    { wrapper },
  );
  const refetchWithState = async (state: ForwardTarget['state']) => {
    targets = [target(state)];
    await client.refetchQueries({ queryKey: queryKeys.forwardTargets });
    await waitFor(() => expect(result.current).toBe(state));
  };
  await waitFor(() => expect(result.current).toBe('up-to-date'));
  await refetchWithState('stopped');
  await waitFor(() => expect(notifications).toHaveLength(1));
  expect(notifications[0]).toMatchObject({ title: 'ERP: forwarding stopped' });
  expect(String(notifications[0]?.['text'])).toContain('410');
  await refetchWithState('stopped');
  await refetchWithState('up-to-date');
  await refetchWithState('stopped');
  await waitFor(() => expect(notifications).toHaveLength(2));
});

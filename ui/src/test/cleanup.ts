import { cleanup } from '@testing-library/react';

import { queryClient } from '@/base/queryClient';
import { clearMocks } from '@/ipc/mocks';

/** Cleans up after a test. Listeners are removed asynchronously, so the mocks are cleared last. */
export async function cleanUp(): Promise<void> {
  cleanup();
  queryClient.clear();
  await new Promise((settled) => {
    setTimeout(settled, 20);
  });
  clearMocks();
}

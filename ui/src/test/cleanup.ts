import { cleanup } from '@testing-library/react';

import { queryClient } from '@/base/queryClient';
import { clearMocks } from '@/ipc/mocks';

/** Ends what a test opened. Listeners are given back in a later turn, while there is still something to give them back to. */
export async function cleanUp(): Promise<void> {
  cleanup();
  queryClient.clear();
  await new Promise((settled) => {
    setTimeout(settled, 20);
  });
  clearMocks();
}

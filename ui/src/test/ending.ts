import { cleanup } from '@testing-library/react';

import { client } from '../app/client';
import { clearMocks } from '../ipc/answering';

/** Ends what a test opened. Listeners are given back in a later turn, while there is still something to give them back to. */
export async function ended(): Promise<void> {
  cleanup();
  client.clear();
  await new Promise((settled) => {
    setTimeout(settled, 20);
  });
  clearMocks();
}

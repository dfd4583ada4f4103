import { Channel } from '@tauri-apps/api/core';

export type { Channel };

/** A way for one command to tell how far it is, until its answer comes. */
export function createChannel<T>(onMessage: (message: T) => void): Channel<T> {
  return new Channel<T>(onMessage);
}

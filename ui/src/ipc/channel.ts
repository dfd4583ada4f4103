import { Channel } from '@tauri-apps/api/core';

export type { Channel };

/** Creates a channel for the progress of one command. */
export function createChannel<T>(onMessage: (message: T) => void): Channel<T> {
  return new Channel<T>(onMessage);
}

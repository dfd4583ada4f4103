import { getCurrentWindow } from '@tauri-apps/api/window';

/** Returns the label that identifies the window in Tauri. */
export function windowLabel(): string {
  return getCurrentWindow().label;
}

import { getCurrentWindow } from '@tauri-apps/api/window';

/** Returns the window's label in Tauri. */
export function windowLabel(): string {
  return getCurrentWindow().label;
}

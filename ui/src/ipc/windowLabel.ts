import { getCurrentWindow } from '@tauri-apps/api/window';

/** What the window is called among Takt's windows. */
export function windowLabel(): string {
  return getCurrentWindow().label;
}

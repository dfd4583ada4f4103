// What tests of the pages answer in place of the engine. No page imports it.
export { emit } from '@tauri-apps/api/event';
export { clearMocks, mockIPC, mockWindows } from '@tauri-apps/api/mocks';

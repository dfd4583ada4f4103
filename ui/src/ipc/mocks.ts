// Mocks the engine for tests. Pages must not import this file.
import { mockIPC as answerCommands } from '@tauri-apps/api/mocks';

export { emit } from '@tauri-apps/api/event';
export { clearMocks, mockWindows } from '@tauri-apps/api/mocks';

// Responses to requests that every page makes. A test can override them.
const defaultResponses = new Map<string, unknown>([
  ['approvals_waiting', []],
  ['deleted_workbook', null],
  ['forward_targets', []],
  ['moved_bars', []],
  ['open_requests_take', []],
  ['orders_recent', []],
  ['recent_files', []],
  ['team_changes', []],
  ['team_view', null],
]);

/** Mocks the commands. A command without a response by the test gets the default response. */
export const mockIPC: typeof answerCommands = (answer, options) =>
  answerCommands((command, args) => answer(command, args) ?? defaultResponses.get(command), options);

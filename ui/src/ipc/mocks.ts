// Mocks of the engine for tests. Pages must not import it.
import { mockIPC as answerCommands } from '@tauri-apps/api/mocks';

export { emit } from '@tauri-apps/api/event';
export { clearMocks, mockWindows } from '@tauri-apps/api/mocks';

// Responses to the requests that every page makes, if a test defines none.
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

/** Mocks the commands with the test's responses. */
export const mockIPC: typeof answerCommands = (answer, options) =>
  answerCommands((command, given) => answer(command, given) ?? defaultResponses.get(command), options);

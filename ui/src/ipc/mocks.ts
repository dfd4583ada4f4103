// What tests of the pages answer in place of the engine. No page imports it.
import { mockIPC as answerCommands } from '@tauri-apps/api/mocks';

export { emit } from '@tauri-apps/api/event';
export { clearMocks, mockWindows } from '@tauri-apps/api/mocks';

// What every page asks for as soon as it is there; a test that says nothing about it starts without any.
const unsaid = new Map<string, unknown>([
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

/** Answers the window's commands by what a test says. */
export const mockIPC: typeof answerCommands = (answer, options) =>
  answerCommands((command, given) => answer(command, given) ?? unsaid.get(command), options);

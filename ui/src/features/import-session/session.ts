import type { ImportView, PreviewChoice, PreviewView, Problem, RowChange, SubmissionView } from '@/ipc/bindings';
import type { Opening } from './useFileReading';

export const IMPORT_STEPS = ['file', 'columns', 'check', 'preview', 'send', 'results'] as const;
export type Step = (typeof IMPORT_STEPS)[number];

/** The author of a change. Changes by the program aren't work that could be lost. */
export type ChangedBy = 'person' | 'program';

export type ImportState = {
  view: ImportView | null;
  step: Step;
  /** Whether the user made changes that weren't sent. `view.draft` shows whether a draft stores them. */
  edited: boolean;
  /** The ID of the plan created from the import, null if nothing was sent. It is the ID of the plan's first submission. */
  plan: number | null;
  /** The preview, null if there is none for the current rows. */
  preview: PreviewView | null;
  /** The user's decisions about the preview: which rows to send in addition. */
  choice: PreviewChoice;
  /** The earlier submission that is retried or repeated with this file. */
  follows: { submission: number; relation: 'retry' | 'again' } | null;
  /** Whether the rows came with flawless changes, such as moved bars of the chart. They can be sent from their preview. */
  isReadyChange: boolean;
  /** Whether the rows that a submission skipped are being fixed. The check then begins with their errors. */
  isFixingSkipped: boolean;
  busy: boolean;
  problem: Problem | null;
};

/** Rows of a set to open as an import. If `positions` is empty, the changes determine the rows. */
export type RowsToOpen = { set: number; positions: number[]; operation: string; changes?: RowChange[] };

export type Session = ImportState & {
  /** The file that is being read. It is set only if reading takes a while. */
  opening: Opening | null;
  /** Cancels reading. The previous import stays open. */
  cancelReading: () => void;
  pickFile: () => Promise<void>;
  /** Opens a workbook for this operation. */
  pickFileFor: (operation: string) => Promise<void>;
  openFile: (path: string) => Promise<void>;
  /** Opens a recent file. The hash is that of its content when it was last opened. */
  openRecent: (hash: string) => Promise<void>;
  /** Reads the file again without the draft. */
  startOver: () => Promise<void>;
  openSample: (operation: string) => Promise<void>;
  /** Opens a table that was pasted. */
  openPastedTable: (text: string) => Promise<void>;
  /** Opens rows of a set instead of a file. */
  openRows: (rows: RowsToOpen) => Promise<void>;
  /** Changes the sheet, header row, operation or a match. A plan that was sent stays available in the history. */
  apply: (change: Promise<ImportView>, by?: ChangedBy) => Promise<void>;
  /** Fixes rows. Returns the changed import, null on failure. */
  fix: (change: Promise<ImportView>, by?: ChangedBy) => Promise<ImportView | null>;
  /** Moves the import to another site, where it is checked and previewed again. */
  moveTo: (site: string) => Promise<void>;
  goToStep: (step: Step) => void;
  storePreview: (preview: PreviewView) => void;
  /** Discards the preview, so that the preview step creates a new one. */
  resetPreview: () => void;
  choosePreview: (choice: PreviewChoice) => void;
  /** Opens the import again with only its rejected rows included. */
  fixRejected: (submission: SubmissionView) => Promise<void>;
  /** Opens the submission's file without the rows that were sent, so that its skipped rows can be fixed and sent. */
  fixSkipped: (submission: SubmissionView) => Promise<void>;
  /** Opens another file with this submission's settings. */
  runAgain: (submission: SubmissionView) => Promise<void>;
  markSent: (plan: number) => void;
  /** Closes the file and keeps its draft. Asks if the draft can't be stored. */
  closeFile: () => Promise<void>;
};

const DEFAULT_CHOICE: PreviewChoice = { sendSame: false, sendUnchecked: false, conflicts: 'stop' };
/** State without a preview. */
export const NO_PREVIEW = { preview: null, choice: DEFAULT_CHOICE };
/** State before anything is sent. */
export const UNSENT = { plan: null, ...NO_PREVIEW };
export const EMPTY_IMPORT: ImportState = { view: null, step: 'file', edited: false, ...UNSENT, follows: null, isReadyChange: false, isFixingSkipped: false, busy: false, problem: null };

/**
 * Returns the state of an opened import. A draft resumes at its step. Otherwise the import starts with the check if its columns
 * need no review, or else with the file step.
 */
export function openImport(view: ImportView, follows: ImportState['follows'] = null): ImportState {
  const start: ImportState = { ...EMPTY_IMPORT, view, follows, step: view.settled || follows ? 'check' : 'file' };
  const position = view.draft.restored?.position;
  if (!position || follows) return start;
  const { submission, relation } = position.follows ?? {};
  const isRepeat = submission !== undefined && (relation === 'retry' || relation === 'again');
  const before = IMPORT_STEPS.find((step) => step === position.step) ?? start.step;
  // A draft doesn't store the preview, so a later step resumes at the preview.
  const step = before === 'send' || before === 'results' ? 'preview' : before;
  return {
    ...start,
    edited: true,
    follows: isRepeat ? { submission, relation } : null,
    step: isReachable(step, { view, plan: null }) ? step : 'file',
  };
}

/** Whether a step can be opened. The results need a sent plan, and the steps after the file an operation and a header row. */
export function isReachable(step: Step, state: Pick<ImportState, 'view' | 'plan'>): boolean {
  const { view, plan } = state;
  if (step === 'file') return true;
  if (step === 'results') return plan !== null;
  return view !== null && view.operation !== null && view.headerRow !== null;
}

/** Returns the state after a change. Changes by the program don't reset a plan that was sent. */
export function applyChange(now: ImportState, view: ImportView, by: ChangedBy): ImportState {
  const keepsPlan = by === 'program' && now.plan !== null;
  return { ...now, view, ...(keepsPlan ? {} : UNSENT), edited: now.edited || by === 'person', problem: null };
}

/** Returns the state after a change of site. Rows and preview are checked again before sending. */
export function moveToSite(now: ImportState, view: ImportView): ImportState {
  return { ...now, view, ...UNSENT, step: now.step === 'send' || now.step === 'results' ? 'preview' : now.step, problem: null };
}

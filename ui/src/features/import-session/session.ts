import type { ImportView, PreviewChoice, PreviewView, Problem, RowChange, SubmissionView } from '@/ipc/bindings';
import type { Opening } from './useFileReading';

export const steps = ['file', 'columns', 'check', 'preview', 'send', 'results'] as const;
export type Step = (typeof steps)[number];

/** Who changes an import: what the program does by itself is no work that could be lost. */
export type ChangedBy = 'person' | 'program';

export type PlanStatus = {
  view: ImportView | null;
  step: Step;
  /** A person changed something that wasn't sent since; whether that is kept as a draft, the view says. */
  edited: boolean;
  /** The plan that was made of this import's rows; its number is that of its first submission. */
  plan: number | null;
  /** What sending would change, as long as the rows are those that were looked at. */
  preview: PreviewView | null;
  /** What is sent beside new and changed rows. */
  choice: PreviewChoice;
  /** The submission that is fixed, or done again, with this file. */
  follows: { submission: number; relation: 'retry' | 'again' } | null;
  busy: boolean;
  problem: Problem | null;
};

/** Which rows of a set are opened for an operation; without positions those that the changes name. */
export type FromRows = { set: number; positions: number[]; operation: string; changes?: RowChange[] };

export type Session = PlanStatus & {
  /** A file that is read at this moment, once that takes a while. */
  opening: Opening | null;
  /** Ends the reading; what was open before stays. */
  stop: () => void;
  pick: () => Promise<void>;
  /** The same for a workbook whose rows are for this operation. */
  pickTo: (operation: string) => Promise<void>;
  open: (path: string) => Promise<void>;
  /** A file that was opened before, by the content that it had then. */
  openRecent: (hash: string) => Promise<void>;
  /** The file again, without what was made of it. */
  startOver: () => Promise<void>;
  sample: (operation: string) => Promise<void>;
  /** Rows of a set, in place of a file. */
  fromRows: (rows: FromRows) => Promise<void>;
  /** Changes sheet, heading, operation or a match; what was sent before belongs to history then. */
  apply: (change: Promise<ImportView>, by?: ChangedBy) => Promise<void>;
  /** Fixes rows; gives the import as it stands then, or nothing where that failed. */
  fix: (change: Promise<ImportView>, by?: ChangedBy) => Promise<ImportView | null>;
  /** From here on the import is for this site: it is checked and previewed anew. */
  moveTo: (site: string) => Promise<void>;
  goStep: (step: Step) => void;
  tookPreview: (preview: PreviewView) => void;
  /** Lets go of the preview, so that it is taken again. */
  comparePreviewAgain: () => void;
  choosePreview: (choice: PreviewChoice) => void;
  /** The same import, still open or opened again, with all rows left out but those that were rejected. */
  fixRejected: (submission: SubmissionView) => Promise<void>;
  /** Another file, read as this submission was. */
  runAgain: (submission: SubmissionView) => Promise<void>;
  sent: (plan: number) => void;
  /** Closes the file; what was made of it stays as a draft. Where it can't be kept, a person is asked. */
  leave: () => Promise<void>;
};

const usual: PreviewChoice = { sendSame: false, sendUnchecked: false, conflicts: 'stop' };
/** No preview was taken. */
export const unseen = { preview: null, choice: usual };
/** Nothing was made of the rows as they are now. */
export const unsent = { plan: null, ...unseen };
export const empty: PlanStatus = { view: null, step: 'file', edited: false, ...unsent, follows: null, busy: false, problem: null };

/** An import as it was opened. A draft goes on where it was; where nobody has to look at the columns, the check comes first. */
export function opened(view: ImportView, follows: PlanStatus['follows'] = null): PlanStatus {
  const start: PlanStatus = { ...empty, view, follows, step: view.settled || follows ? 'check' : 'file' };
  const position = view.draft.restored?.position;
  if (!position || follows) return start;
  const { submission, relation } = position.follows ?? {};
  const goesOn = submission !== undefined && (relation === 'retry' || relation === 'again');
  const before = steps.find((step) => step === position.step) ?? start.step;
  // What sending would change is looked at anew.
  const step = before === 'send' || before === 'results' ? 'preview' : before;
  return {
    ...start,
    edited: true,
    follows: goesOn ? { submission, relation } : null,
    step: reachable(step, { view, plan: null }) ? step : 'file',
  };
}

/** Which steps can be gone to with what is known so far. */
export function reachable(step: Step, standing: Pick<PlanStatus, 'view' | 'plan'>): boolean {
  const { view, plan } = standing;
  if (step === 'file') return true;
  if (step === 'results') return plan !== null;
  return view !== null && view.operation !== null && view.headerRow !== null;
}

/** The import as it stands after a change. What the program finds out after the rows were sent takes nothing back of that. */
export function changed(now: PlanStatus, view: ImportView, by: ChangedBy): PlanStatus {
  const kept = by === 'program' && now.plan !== null;
  return { ...now, view, ...(kept ? {} : unsent), edited: now.edited || by === 'person', problem: null };
}

/** Another site: the rows and the preview are looked at again before anything is sent. */
export function moved(now: PlanStatus, view: ImportView): PlanStatus {
  return { ...now, view, ...unsent, step: now.step === 'send' || now.step === 'results' ? 'preview' : now.step, problem: null };
}

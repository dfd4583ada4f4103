import { type ReactNode, createContext, use, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { client } from '../../app/client';
import { useNavigation } from '../../app/navigation';
import { usePreferences } from '../../app/preferences';
import { keys } from '../../app/state';
import {
  type ImportView,
  type PreviewChoice,
  type PreviewView,
  type Problem,
  type RowChange,
  type SubmissionView,
  commands,
} from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import { type Opening, type Start, useOpening } from './useOpening';

export const steps = ['file', 'columns', 'check', 'preview', 'send', 'results'] as const;
export type Step = (typeof steps)[number];

type Standing = {
  view: ImportView | null;
  step: Step;
  /** What was made of this import's rows. */
  submission: number | null;
  /** Where it was sent in several steps: the plan. */
  plan: number | null;
  /** What sending would change, as long as the rows are those that were looked at. */
  preview: PreviewView | null;
  /** What is sent beside new and changed rows. */
  choice: PreviewChoice;
  /** The submission that is mended, or done again, with this file. */
  follows: { submission: number; relation: 'retry' | 'again' } | null;
  busy: boolean;
  problem: Problem | null;
};

/** Which rows of a set are opened for an operation; without positions those that the changes name. */
type FromRows = { set: number; positions: number[]; operation: string; changes?: RowChange[] };

type Session = Standing & {
  /** A file that is read at this moment, once that takes a while. */
  opening: Opening | null;
  /** Ends the reading; what was open before stays. */
  stop: () => void;
  pick: () => Promise<void>;
  /** The same for a workbook whose rows are for this operation. */
  pickTo: (operation: string) => Promise<void>;
  open: (path: string) => Promise<void>;
  sample: (operation: string) => Promise<void>;
  /** Rows of a set, in place of a file. */
  fromRows: (rows: FromRows) => Promise<void>;
  /** Changes sheet, heading, operation or a match; what was sent before belongs to history then. */
  apply: (change: Promise<ImportView>) => Promise<void>;
  /** Mends rows; gives the import as it stands then, or nothing where that failed. */
  mend: (change: Promise<ImportView>) => Promise<ImportView | null>;
  goStep: (step: Step) => void;
  tookPreview: (preview: PreviewView) => void;
  choosePreview: (choice: PreviewChoice) => void;
  /** The same import, still open or opened again, with all rows left out but those that were rejected. */
  mendRejected: (submission: SubmissionView) => Promise<void>;
  /** Another file, read as this submission was. */
  runAgain: (submission: SubmissionView) => Promise<void>;
  sent: (submission: number) => void;
  sentPlan: (plan: number) => void;
  leave: () => void;
};

const SessionContext = createContext<Session | null>(null);
const usual: PreviewChoice = { sendSame: false, conflicts: 'stop' };
const unseen = { preview: null, choice: usual };
const empty: Standing = { view: null, step: 'file', submission: null, plan: null, ...unseen, follows: null, busy: false, problem: null };

/** The import in hand. It stays while other pages are open. */
export function ImportProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { language } = usePreferences();
  const [standing, setStanding] = useState<Standing>(empty);
  const reading = useOpening();
  const { opening } = reading;

  const read = useCallback(
    async (start: Start, follows: Standing['follows'] = null) => {
      setStanding((now) => ({ ...now, busy: true, problem: null }));
      try {
        const { view: found, stopped } = await reading.read(start);
        const view = found && follows && !stopped ? await following(found, follows) : found;
        // Another file has taken its place, or the person wants none.
        if (stopped) {
          if (view) void commands.importClose(view.id).catch(() => undefined);
          return;
        }
        setStanding((now) => {
          if (!view) return { ...now, busy: false };
          if (now.view && now.view.id !== view.id) void commands.importClose(now.view.id).catch(() => undefined);
          // Where nobody has to look at the columns, the check comes first; every step can still be gone to.
          return { ...empty, view, follows, step: view.settled || follows ? 'check' : 'file' };
        });
        if (view) go({ page: 'import' });
      } catch (cause) {
        setStanding((now) => ({ ...now, busy: false, problem: toProblem(cause) }));
        go({ page: 'import' });
      }
    },
    [go, reading],
  );
  const pick = useCallback(
    () => read((ticket, told) => commands.importPick(t('import.pickTitle'), t('import.pickFilter'), ticket, told)),
    [read, t],
  );
  const pickTo = useCallback(
    (operation: string) =>
      read(async (ticket, told) => {
        const view = await commands.importPick(t('import.pickTitle'), t('import.pickFilter'), ticket, told);
        return view && view.operation !== operation ? commands.importOperation(view.id, operation) : view;
      }),
    [read, t],
  );
  const pickFor = useCallback(
    async (submission: SubmissionView, relation: 'retry' | 'again') => {
      await toSite(submission.site);
      const start: Start = (ticket, told) => commands.importPick(t('decide.pick'), t('import.pickFilter'), ticket, told);
      await read(start, { submission: submission.id, relation });
    },
    [read, t],
  );
  const runAgain = useCallback((submission: SubmissionView) => pickFor(submission, 'again'), [pickFor]);
  const mendRejected = useCallback(
    async (submission: SubmissionView) => {
      const { view, submission: made } = standing;
      if (!view || made !== submission.id) {
        await pickFor(submission, 'retry');
        return;
      }
      try {
        await toSite(submission.site);
        const left = await commands.importMendRejected(view.id, submission.id);
        const follows = { submission: submission.id, relation: 'retry' as const };
        setStanding((now) => ({ ...now, view: left, submission: null, plan: null, ...unseen, follows, step: 'check', problem: null }));
      } catch (cause) {
        setStanding((now) => ({ ...now, problem: toProblem(cause) }));
      }
      go({ page: 'import' });
    },
    [standing, pickFor, go],
  );
  const open = useCallback(
    (path: string) => {
      go({ page: 'import' });
      return read((ticket, told) => commands.importOpen(path, ticket, told));
    },
    [go, read],
  );
  const sample = useCallback(
    (operation: string) => read((ticket, told) => commands.importSample(operation, ticket, told)),
    [read],
  );
  const fromRows = useCallback(
    ({ set, positions, operation, changes = [] }: FromRows) =>
      read(() => commands.importFromRows(set, positions, operation, changes, language)),
    [read, language],
  );
  const stop = useCallback(() => {
    reading.stop();
    setStanding((now) => ({ ...now, busy: false }));
  }, [reading]);
  const apply = useCallback(async (change: Promise<ImportView>) => {
    setStanding((now) => ({ ...now, busy: true, problem: null }));
    try {
      const view = await change;
      setStanding((now) => ({ ...now, view, submission: null, plan: null, ...unseen, busy: false }));
    } catch (cause) {
      setStanding((now) => ({ ...now, busy: false, problem: toProblem(cause) }));
    }
  }, []);
  const mend = useCallback(async (change: Promise<ImportView>) => {
    try {
      const view = await change;
      setStanding((now) => (now.view?.id === view.id ? { ...now, view, submission: null, plan: null, ...unseen, problem: null } : now));
      return view;
    } catch (cause) {
      setStanding((now) => ({ ...now, problem: toProblem(cause) }));
      return null;
    }
  }, []);
  const goStep = useCallback((step: Step) => setStanding((now) => ({ ...now, step, problem: null })), []);
  const tookPreview = useCallback((preview: PreviewView) => setStanding((now) => ({ ...now, preview, choice: usual })), []);
  const choosePreview = useCallback((choice: PreviewChoice) => setStanding((now) => ({ ...now, choice })), []);
  const sent = useCallback((submission: number) => setStanding((now) => ({ ...now, submission, plan: null })), []);
  const sentPlan = useCallback((plan: number) => setStanding((now) => ({ ...now, submission: plan, plan })), []);
  const leave = useCallback(() => {
    setStanding((now) => {
      if (now.view) void commands.importClose(now.view.id).catch(() => undefined);
      return empty;
    });
  }, []);

  const session = useMemo(
    () => ({ ...standing, opening, stop, pick, pickTo, open, sample, fromRows, apply, mend, goStep, tookPreview, choosePreview, mendRejected, runAgain, sent, sentPlan, leave }),
    [standing, opening, stop, pick, pickTo, open, sample, fromRows, apply, mend, goStep, tookPreview, choosePreview, mendRejected, runAgain, sent, sentPlan, leave],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The file as it is to be read for what it follows. */
async function following(view: ImportView, { submission, relation }: NonNullable<Standing['follows']>): Promise<ImportView> {
  const read = await commands.importLike(view.id, submission).catch((cause: unknown) => {
    // Without its mapping a file is read as any other; for the rejected rows that is still right.
    if (relation === 'again') throw cause;
    return view;
  });
  return relation === 'retry' ? commands.importMendRejected(view.id, submission) : read;
}

/** What follows a submission goes where that went. */
async function toSite(site: string): Promise<void> {
  await commands.siteChoose(site);
  await client.invalidateQueries({ queryKey: keys.app });
}

export function useImport(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('outside ImportProvider');
  return session;
}

/** Which steps can be gone to with what is known so far. */
export function reachable(step: Step, standing: Pick<Standing, 'view' | 'submission'>): boolean {
  const { view, submission } = standing;
  if (step === 'file') return true;
  if (step === 'results') return submission !== null;
  return view !== null && view.operation !== null && view.headerRow !== null;
}

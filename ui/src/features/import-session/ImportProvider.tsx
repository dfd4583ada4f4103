import type { TFunction } from 'i18next';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { commands, type ImportView, type OpeningView, type PreviewChoice, type PreviewView, type SubmissionView } from '@/ipc/bindings';
import type { Channel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';

import { trackChange } from './cellEdit';
import { confirmDiscard } from './discardQuestion';
import {
  applyChange,
  type ChangedBy,
  EMPTY_IMPORT,
  type RowsToOpen,
  moveToSite,
  openImport,
  type ImportState,
  type Session,
  type Step,
  NO_PREVIEW,
  UNSENT,
} from './session';
import { type StartReading, useFileReading } from './useFileReading';

/** Whether an import needs no look at its columns or findings before its preview. */
function isFlawless({ settled, counts }: ImportView): boolean {
  return settled && counts.rows > 0 && counts.errorRows + counts.warningRows === 0;
}

/** Stores the current step in the draft, so that the import can be resumed there. */
function useStorePosition({ view, step, follows, plan }: ImportState): void {
  const id = plan === null ? view?.id : undefined;
  useEffect(() => {
    if (id !== undefined) void commands.importPosition(id, { step, follows }).catch(() => undefined);
  }, [id, step, follows]);
}

type ReadOptions = {
  /** The earlier submission that is retried or repeated with the file. */
  follows?: ImportState['follows'];
  /** Whether the rows come with their changes. Then they are previewed at once. */
  isChangeMade?: boolean;
  /** Whether rows that a submission skipped are being fixed. */
  isFixingSkipped?: boolean;
};

const SessionContext = createContext<Session | null>(null);

/** Provides the current import. It survives page changes. */
export function ImportProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { language } = usePreferences();
  const [importState, setImportState] = useState<ImportState>(EMPTY_IMPORT);
  const latest = useRef(importState);
  useEffect(() => {
    latest.current = importState;
  }, [importState]);
  const reading = useFileReading();
  const { opening } = reading;
  useStorePosition(importState);

  const read = useCallback(
    async (start: StartReading, { follows = null, isChangeMade = false, isFixingSkipped = false }: ReadOptions = {}) => {
      if (!(await confirmDiscard(latest.current))) return;
      setImportState((now) => ({ ...now, busy: true, problem: null }));
      try {
        const { view: found, stopped } = await reading.read(start);
        const view = found && follows && !stopped ? await applyEarlierMapping(found, follows) : found;
        // The import isn't needed, because opening was canceled or another file was opened.
        if (stopped) {
          if (view) void commands.importClose(view.id).catch(() => undefined);
          return;
        }
        setImportState((now) => {
          if (!view) return { ...now, busy: false };
          if (now.view && now.view.id !== view.id) void commands.importClose(now.view.id).catch(() => undefined);
          const opened = openImport(view, follows);
          if (isFixingSkipped) return { ...opened, step: 'check', isFixingSkipped: true };
          return isChangeMade && isFlawless(view) ? { ...opened, step: 'preview', isReadyChange: true } : opened;
        });
        if (view) go({ page: 'import' });
      } catch (cause) {
        setImportState((now) => ({ ...now, busy: false, problem: toProblem(cause) }));
        go({ page: 'import' });
      }
    },
    [go, reading],
  );
  const pickFile = useCallback(
    () => read((ticket, channel) => commands.importPick(t('import.pickTitle'), t('import.pickFilter'), ticket, channel)),
    [read, t],
  );
  const pickFileFor = useCallback(
    (operation: string) =>
      read(async (ticket, channel) => {
        const view = await commands.importPick(t('import.pickTitle'), t('import.pickFilter'), ticket, channel);
        return view && view.operation !== operation ? commands.importOperation(view.id, operation) : view;
      }),
    [read, t],
  );
  const pickFileLike = useCallback(
    (submission: SubmissionView, relation: 'retry' | 'again') => {
      const start: StartReading = async (ticket, channel) => {
        await chooseSite(submission.site);
        return commands.importPick(t('decide.pick'), t('import.pickFilter'), ticket, channel);
      };
      return read(start, { follows: { submission: submission.id, relation } });
    },
    [read, t],
  );
  const runAgain = useCallback((submission: SubmissionView) => pickFileLike(submission, 'again'), [pickFileLike]);
  /** Checks the rows again after others were sent, because the site has changed. */
  const checkAgain = useCallback(async (id: number) => {
    // A site that can't be read is reported in the view. This fails only if the import was closed.
    const view = await commands.importCheckSite(id, false).catch(() => null);
    setImportState((now) => (view && now.view?.id === id ? applyChange(now, view, 'program') : now));
  }, []);
  const fixRejected = useCallback(
    async (submission: SubmissionView) => {
      const { view, plan } = importState;
      if (!view || plan !== submission.plan) {
        await pickFileLike(submission, 'retry');
        return;
      }
      try {
        await chooseSite(submission.site);
        const changed = await commands.importFixRejected(view.id, submission.id);
        const follows = { submission: submission.id, relation: 'retry' as const };
        setImportState((now) => ({ ...now, view: changed, ...UNSENT, edited: false, follows, step: 'check', problem: null }));
        void checkAgain(changed.id);
      } catch (cause) {
        setImportState((now) => ({ ...now, problem: toProblem(cause) }));
      }
      go({ page: 'import' });
    },
    [importState, pickFileLike, checkAgain, go],
  );
  const fixSkipped = useCallback(
    async (submission: SubmissionView) => {
      const { view, plan } = latest.current;
      if (!view || plan !== submission.plan) {
        await read((ticket, channel) => openSentFile(submission, t, ticket, channel), { isFixingSkipped: true });
        return;
      }
      try {
        await chooseSite(submission.site);
        const changed = await commands.importFixSkipped(view.id, submission.id);
        setImportState((now) => ({ ...now, view: changed, ...UNSENT, edited: false, follows: null, isFixingSkipped: true, step: 'check', problem: null }));
        void checkAgain(changed.id);
      } catch (cause) {
        setImportState((now) => ({ ...now, problem: toProblem(cause) }));
      }
      go({ page: 'import' });
    },
    [checkAgain, go, read, t],
  );
  const openFile = useCallback(
    (path: string) =>
      read((ticket, channel) => {
        go({ page: 'import' });
        return commands.importOpen(path, ticket, channel);
      }),
    [go, read],
  );
  const openRecent = useCallback(
    (hash: string) => read((ticket, channel) => commands.recentOpen(hash, ticket, channel)),
    [read],
  );
  const startOver = useCallback(async () => {
    const id = latest.current.view?.id;
    if (id === undefined) return;
    setImportState((now) => ({ ...now, busy: true, problem: null }));
    try {
      setImportState(openImport(await commands.importStartOver(id)));
    } catch (cause) {
      setImportState((now) => ({ ...now, busy: false, problem: toProblem(cause) }));
    }
  }, []);
  const openSample = useCallback(
    (operation: string) => read((ticket, channel) => commands.importSample(operation, ticket, channel)),
    [read],
  );
  const openPastedTable = useCallback(
    (text: string) =>
      read((ticket, channel) => {
        go({ page: 'import' });
        return commands.importPaste(t('import.pasted'), text, ticket, channel);
      }),
    [go, read, t],
  );
  const openRows = useCallback(
    ({ set, positions, operation, changes = [] }: RowsToOpen) =>
      read(() => commands.importFromRows(set, positions, operation, changes, language), { isChangeMade: changes.length > 0 }),
    [read, language],
  );
  const cancelReading = useCallback(() => {
    reading.stop();
    setImportState((now) => ({ ...now, busy: false }));
  }, [reading]);
  const apply = useCallback(async (change: Promise<ImportView>, by: ChangedBy = 'person') => {
    setImportState((now) => ({ ...now, busy: true, problem: null }));
    try {
      const view = await change;
      setImportState((now) => ({ ...applyChange(now, view, by), busy: false }));
    } catch (cause) {
      setImportState((now) => ({ ...now, busy: false, problem: toProblem(cause) }));
    }
  }, []);
  const fix = useCallback(async (change: Promise<ImportView>, by: ChangedBy = 'person') => {
    trackChange(change);
    try {
      const view = await change;
      setImportState((now) => (now.view?.id === view.id ? applyChange(now, view, by) : now));
      return view;
    } catch (cause) {
      setImportState((now) => ({ ...now, problem: toProblem(cause) }));
      return null;
    }
  }, []);
  const moveTo = useCallback(async (site: string) => {
    const id = latest.current.view?.id;
    if (id === undefined) return;
    try {
      const view = await commands.importChooseSite(id, site);
      setImportState((now) => (now.view?.id === view.id ? moveToSite(now, view) : now));
    } catch (cause) {
      setImportState((now) => ({ ...now, problem: toProblem(cause) }));
    }
  }, []);
  const goToStep = useCallback((step: Step) => setImportState((now) => ({ ...now, step, problem: null })), []);
  const resetPreview = useCallback(() => setImportState((now) => ({ ...now, preview: null })), []);
  const storePreview = useCallback((preview: PreviewView) => setImportState((now) => ({ ...now, ...NO_PREVIEW, preview })), []);
  const choosePreview = useCallback((choice: PreviewChoice) => setImportState((now) => ({ ...now, choice })), []);
  const markSent = useCallback((plan: number) => setImportState((now) => ({ ...now, plan, edited: false })), []);
  const closeFile = useCallback(async () => {
    if (!(await confirmDiscard(latest.current))) return;
    setImportState((now) => {
      if (now.view) void commands.importClose(now.view.id).catch(() => undefined);
      return EMPTY_IMPORT;
    });
  }, []);

  const session = useMemo(
    () => ({ ...importState, opening, cancelReading, pickFile, pickFileFor, openFile, openRecent, startOver, openSample, openPastedTable, openRows, apply, fix, moveTo, goToStep, storePreview, resetPreview, choosePreview, fixRejected, fixSkipped, runAgain, markSent, closeFile }),
    [importState, opening, cancelReading, pickFile, pickFileFor, openFile, openRecent, startOver, openSample, openPastedTable, openRows, apply, fix, moveTo, goToStep, storePreview, resetPreview, choosePreview, fixRejected, fixSkipped, runAgain, markSent, closeFile],
  );
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Opens the file of a submission without the rows that were sent. Asks for the file if it isn't among the recent ones. */
async function openSentFile(submission: SubmissionView, t: TFunction, ticket: number, channel: Channel<OpeningView>): Promise<ImportView | null> {
  await chooseSite(submission.site);
  const view = await commands
    .recentOpen(submission.hash, ticket, channel)
    .catch(() => commands.importPick(t('decide.pickSent', { file: submission.file }), t('import.pickFilter'), ticket, channel));
  if (!view) return null;
  try {
    await commands.importUseSubmission(view.id, submission.id);
    return await commands.importFixSkipped(view.id, submission.id);
  } catch (cause) {
    void commands.importClose(view.id).catch(() => undefined);
    throw cause;
  }
}

/** Applies the mapping of the earlier submission that is retried or repeated. */
async function applyEarlierMapping(view: ImportView, { submission, relation }: NonNullable<ImportState['follows']>): Promise<ImportView> {
  const read = await commands.importUseSubmission(view.id, submission).catch((cause: unknown) => {
    // A retry also works without the earlier mapping: the file's columns are matched as for any other file.
    if (relation === 'again') throw cause;
    return view;
  });
  return relation === 'retry' ? commands.importFixRejected(view.id, submission) : read;
}

/** Selects the site of the earlier submission. */
async function chooseSite(site: string): Promise<void> {
  await commands.siteChoose(site);
  await queryClient.invalidateQueries({ queryKey: queryKeys.app });
}

export function useImport(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('outside ImportProvider');
  return session;
}

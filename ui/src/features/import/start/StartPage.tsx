import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Menu, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';

import { useAppState, useOperations, useSamples, useSite } from '@/base/appState';
import { isClipboardField, isTextInput, runClipboardKey } from '@/base/clipboardKeys';
import { queryKeys } from '@/base/queryKeys';
import { markUsable } from '@/base/window/startMark';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { usePageKeys } from '@/components/page/pageKeys';
import { PageFrame } from '@/components/page/PageFrame';
import { useImport } from '@/features/import-session';
import { countProgress } from '@/features/submission';
import { commands, type RecentFileView, type SentFileView } from '@/ipc/bindings';
import { operationName, useFormats } from '@/base/useFormats';
import { usePreferences } from '@/base/preferences';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { useSiteName } from '@/components/marks/SiteName';

import { UnfinishedWork } from './UnfinishedWork';
import styles from './start.module.css';

const MAX_RECENT_FILES = 8;

/** Lists recent files with their last submission. */
export function RecentFiles({ files }: { files: readonly RecentFileView[] }) {
  const { t } = useTranslation();
  const { openRecent, busy } = useImport();
  const fileSummary = useFileSummary();
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{t('home.recent')}</h2>
      <ul className={styles.files}>
        {files.slice(0, MAX_RECENT_FILES).map((file) => (
          <li key={file.hash}>
            <UnstyledButton
              className={styles.file}
              onClick={() => void openRecent(file.hash)}
              disabled={busy || file.state === 'missing'}
              title={file.folder}
              data-testid="recent-file"
            >
              <span className={styles.name}>{file.file}</span>
              <span className={styles.state}>{fileSummary(file)}</span>
              <span className={styles.folder}>{file.folder}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns a function that describes a file's last submission in one line. */
function useFileSummary(): (file: RecentFileView) => string {
  const { t } = useTranslation();
  const { recentDateTime, number } = useFormats();
  const site = useSiteName();
  const sentWords = ({ counts, started, site: name }: SentFileView) => {
    const { done, toSend } = countProgress(counts);
    const names = { when: recentDateTime(started), site: site(name) };
    const part = (key: 'open' | 'unconfirmed' | 'skipped', count: number) =>
      count > 0 && t(`headline.${key}`, { count, number: number(count) });
    return [
      done + counts.sending === 0
        ? t('home.unsent', names)
        : t('home.sent', { ...names, accepted: number(counts.accepted), count: toSend, total: number(toSend) }),
      part('open', counts.pending + counts.sending),
      part('unconfirmed', counts.unconfirmed),
      part('skipped', counts.skipped),
    ]
      .filter((one) => one !== false)
      .join(', ');
  };
  return ({ state, sent, opened }) => {
    if (state === 'missing') return t('home.missing');
    const became = sent ? sentWords(sent) : t('home.opened', { when: recentDateTime(opened) });
    return state === 'changed' ? `${became} ${t('home.changed')}` : became;
  };
}

/** Saves a blank workbook for any operation that accepts rows. */
function BlankMenu() {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { language } = usePreferences();
  const operations = useOperations();
  const save = useMutation({
    mutationFn: (operation: string) => commands.blankSave(operation, language, t('blank.saveTitle')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  const fillable = operations.filter((one) => one.request !== null && (one.kind === 'sync' || one.kind === 'delete'));
  if (fillable.length === 0) return null;
  return (
    <Menu position="bottom">
      <Menu.Target>
        <Button
          variant="subtle"
          size="xs"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={save.isPending}
          data-testid="blank-menu"
        >
          {t('blank.menu')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {fillable.map((one) => (
          <Menu.Item key={one.id} onClick={() => save.mutate(one.id)} data-testid={`blank-${one.id}`}>
            {name(one)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Sample workbooks for the practice plant. At another site, only a button that selects the practice plant is shown. */
export function Samples() {
  const { t } = useTranslation();
  const practice = useOtherPractice();
  const { name } = useFormats();
  const operations = useOperations();
  const samples = useSamples();
  const { openSample, busy } = useImport();
  if (samples.length === 0) return null;
  if (practice.name !== null) {
    return (
      <p className={styles.elsewhere}>
        {t('import.samplesElsewhere')}
        <Button size="compact-sm" variant="default" onClick={practice.choose} data-testid="samples-practice">
          {t('import.otherSite.back', { site: t('site.practice') })}
        </Button>
      </p>
    );
  }
  return (
    <section aria-labelledby="samples" data-tour="samples">
      <h2 id="samples">{t('import.samples')}</h2>
      <ul className={styles.samples}>
        {samples.map((one) => (
          <li key={one.operation}>
            <UnstyledButton
              className={styles.sample}
              onClick={() => void openSample(one.operation)}
              disabled={busy}
              data-testid={`sample-${one.operation}`}
            >
              {operationName(operations, one.operation, name)}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Opens cells that are pasted outside a text field as an import. */
export function useTablePaste(): void {
  const { t } = useTranslation();
  const { openPastedTable, busy } = useImport();
  usePageKeys((event) => {
    const isPaste = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'v';
    if (isPaste && !isTextInput(event.target)) runClipboardKey('paste', document.body);
  });
  useEffect(() => {
    const handlePaste = (event: ClipboardEvent) => {
      if (busy || (isTextInput(event.target) && !isClipboardField(event.target))) return;
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      // A spreadsheet separates the copied cells by tabs and rows by line breaks.
      if (/[\t\n]/u.test(text.trim())) void openPastedTable(text);
      else showWarningNotice(t('import.noTable'));
    };
    document.addEventListener('paste', handlePaste);
    return () => document.removeEventListener('paste', handlePaste);
  }, [openPastedTable, busy, t]);
}

/** The area for opening or pasting a workbook, with a summary of the next steps. */
export function DropArea() {
  const { t } = useTranslation();
  const { pickFile, busy } = useImport();
  return (
    <section className={styles.drop} aria-label={t('import.drop')} aria-busy={busy}>
      <IconFileSpreadsheet size={36} stroke={1.2} aria-hidden />
      <p className={styles.lead}>{t('import.drop')}</p>
      <p className="muted small">{t('import.dropThen')}</p>
      <div className={styles.ways}>
        <Button size="md" onClick={() => void pickFile()} disabled={busy} data-testid="import-open" data-tour="open">
          {t('import.open')}
        </Button>
        <BlankMenu />
      </div>
      <p className="muted small">{t('import.kinds')}</p>
    </section>
  );
}

/** Returns the recent files, refetched on each mount. */
export function useRecentFiles(): RecentFileView[] {
  const { data } = useQuery({ queryKey: queryKeys.recentFiles, queryFn: () => commands.recentFiles(), staleTime: 0, refetchOnMount: 'always' });
  return data ?? NO_FILES;
}

const NO_FILES: RecentFileView[] = [];

/** The import page without a file: unfinished work, opening a workbook, recent files, and samples for practice. */
export function StartPage() {
  const { t } = useTranslation();
  const { problem } = useImport();
  const files = useRecentFiles();
  useEffect(markUsable, []);
  useTablePaste();
  return (
    <PageFrame title={t('import.title')}>
      <div className={styles.home}>
        {problem && <ProblemNote problem={problem} />}
        <UnfinishedWork drafts={files.filter((file) => file.draft !== null)} />
        <DropArea />
        <RecentFiles files={files.filter((file) => file.draft === null)} />
        <Samples />
      </div>
    </PageFrame>
  );
}

/** Returns the practice plant's name if another site is selected, or else null. Samples need the practice plant. */
function useOtherPractice(): { name: string | null; choose: () => void } {
  const site = useSite();
  const { data } = useAppState();
  const practice = data?.sites.find((one) => one.site.kind === 'practice')?.site.name ?? null;
  const name = site === undefined || site.site.kind === 'practice' ? null : practice;
  return { name, choose: () => void (name !== null && commands.siteChoose(name).catch(showProblemNotice)) };
}

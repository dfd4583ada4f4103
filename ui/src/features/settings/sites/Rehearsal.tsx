import { Button, Checkbox, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { problemTitle } from '@/base/engineTexts';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { commands, type Problem, type RehearsalProgress, type RehearsalView } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

import styles from '../common/settings.module.css';

type RunningRehearsal = { ticket: number; progress: RehearsalProgress | null };

type RehearsalState = {
  running: RunningRehearsal | null;
  result: RehearsalView | null;
  problem: Problem | null;
  start: (masked: boolean) => void;
  stop: () => void;
};

/** Copies a site's data. Canceling discards the copy. */
function useRehearsal(site: string): RehearsalState {
  const [running, setRunning] = useState<RunningRehearsal | null>(null);
  const [result, setResult] = useState<RehearsalView | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const ticket = running?.ticket;
  const start = useCallback(
    (masked: boolean) => {
      const newTicket = nextTicket();
      setProblem(null);
      setRunning({ ticket: newTicket, progress: null });
      const channel = createChannel<RehearsalProgress>((progress) => setRunning((now) => now && { ...now, progress }));
      commands
        .rehearsalStart(site, masked, newTicket, channel)
        .then(setResult)
        .catch((cause: unknown) => setProblem(toProblem(cause)))
        .finally(() => setRunning(null));
    },
    [site],
  );
  const stop = useCallback(() => {
    if (ticket !== undefined) void commands.ticketStop(ticket).catch(() => undefined);
  }, [ticket]);
  useEffect(() => stop, [stop]);
  return { running, result, problem, start, stop };
}

/** A button that copies a site to a separate practice plant. The copy can be opened afterwards. */
export function Rehearsal({ site }: { site: string }) {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="subtle" onClick={open} data-testid={`rehearse-${site}`}>
        {t('rehearsal.open')}
      </Button>
      {opened && <RehearsalDialog site={site} close={close} />}
    </>
  );
}

function RehearsalDialog({ site, close }: { site: string; close: () => void }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const [masked, setMasked] = useState(false);
  const { running, result, problem, start, stop } = useRehearsal(site);
  const handleClose = () => {
    stop();
    close();
  };
  const name = siteName(site);
  const listName = useListName(site);
  return (
    <Dialog title={t('rehearsal.title', { site: name })} close={handleClose} wide>
      {!result && <p>{t('rehearsal.what', { site: name })}</p>}
      {!result && (
        <Checkbox
          checked={masked}
          onChange={(event) => setMasked(event.currentTarget.checked)}
          label={t('rehearsal.mask')}
          description={t('rehearsal.maskHint')}
          disabled={running !== null}
          data-testid="rehearsal-mask"
        />
      )}
      {running && <CopyProgress progress={running.progress} listName={listName} />}
      {problem && <ProblemNote problem={problem} />}
      {result && <CopyResult view={result} listName={listName} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={running ? stop : handleClose} data-testid={running ? 'rehearsal-stop' : 'rehearsal-close'}>
          {t(running ? 'rehearsal.stop' : result ? 'common.close' : 'common.cancel')}
        </Button>
        {!result && (
          <Button onClick={() => start(masked)} disabled={running !== null} data-testid="rehearsal-start">
            {t('rehearsal.start')}
          </Button>
        )}
      </Group>
    </Dialog>
  );
}

/** Returns a function that converts an operation's ID to its name in the site's contract. */
function useListName(site: string): (operation: string) => string {
  const { name } = useFormats();
  const { data } = useQuery({ queryKey: queryKeys.contractOperations(site), queryFn: () => commands.contractOperations(site) });
  return (operation) => operationName(data ?? [], operation, name);
}

function CopyProgress({ progress, listName }: { progress: RehearsalProgress | null; listName: (operation: string) => string }) {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  if (!progress) return null;
  const { list, lists, operation, rows, waitingUntil } = progress;
  return (
    <p data-testid="rehearsal-progress" aria-live="polite">
      {t('rehearsal.progress', { list, lists, operation: listName(operation), rows: number(rows) })}
      {waitingUntil && <span className="muted"> {t('rehearsal.waits', { time: dateTime(waitingUntil) })}</span>}
    </p>
  );
}

function CopyResult({ view, listName }: { view: RehearsalView; listName: (operation: string) => string }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { site, report, skipped, uneven, unreadTemplates, requests } = view;
  const rows = report.lists.reduce((sum, list) => sum + list.kept, 0);
  const missing = [
    ...skipped.map(({ operation, problem }) => `${listName(operation)}: ${problem ? problemTitle(problem) : t('rehearsal.noPlace')}`),
    ...uneven.map((operation) => `${listName(operation)}: ${t('rehearsal.uneven')}`),
    ...(unreadTemplates > 0 ? [t('rehearsal.unreadTemplates', { number: number(unreadTemplates) })] : []),
    ...report.remarks.map(({ operation, kind, member, keys, count }) => {
      const remark = t(`rehearsal.remarks.${kind}`, { member, keys: keys.join(', ') });
      return `${listName(operation)} (${number(count)}): ${remark}`;
    }),
  ];
  return (
    <>
      <p data-testid="rehearsal-done">{t('rehearsal.done', { site, rows: number(rows), requests: number(requests) })}</p>
      <p className="muted">{t('rehearsal.ends')}</p>
      {missing.length > 0 && (
        <>
          <h3>{t('rehearsal.missing')}</h3>
          <ul className={styles.missing} data-testid="rehearsal-missing">
            {missing.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { resultWord } from '@/base/engineTexts';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { secondsSince } from '@/base/siteTime';
import { useFormats } from '@/base/useFormats';
import { useNow } from '@/base/useNow';
import { markUsable } from '@/base/window/startMark';
import { ResultSign } from '@/components/marks/StatusMarks';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { OrderLink } from '@/components/values/OrderLink';
import { MAX_SILENCE_SECONDS, type ShownState, isOpen, statesOf, useFirstFloorRead, useFloor, useFloorRead } from '@/features/floor';
import { DropArea, RecentFiles, Samples, UnfinishedWork, useRecentFiles, useTablePaste } from '@/features/import';
import { useImport } from '@/features/import-session';
import { RESULT_ORDER } from '@/features/submission';
import { commands, type Floor, type RowResult, type SubmissionView } from '@/ipc/bindings';

import { sumToday } from './sumToday';
import styles from './today.module.css';

/** Maximum number of listed late orders. The others are counted. */
const MAX_LISTED_ORDERS = 5;

type CardProps = {
  title: string;
  value: ReactNode;
  /** Whether the value needs attention. */
  isAlarming?: boolean;
  /** Whether there is nothing to look at, so that the value is muted. */
  isZero?: boolean;
  children?: ReactNode;
  open: () => void;
  testId: string;
};

/** A number of the day. The card opens the page with its details. */
function Card({ title, value, isAlarming = false, isZero = false, children, open, testId }: CardProps) {
  return (
    <li className={styles.card} data-alarming={isAlarming} data-testid={testId}>
      <UnstyledButton className={styles.open} onClick={open}>
        <span className={styles.cardTitle}>{title}</span>
        <b className={`${styles.value} number`} data-zero={isZero}>{value}</b>
      </UnstyledButton>
      <div className={styles.detail}>{children}</div>
    </li>
  );
}

/** The rows that were sent to the selected site today. */
function SentCard({ submissions, now }: { submissions: readonly SubmissionView[]; now: number }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { go } = useNavigation();
  const site = useSite()?.site.name;
  const { counts, sent } = sumToday(submissions.filter((one) => one.site === site), now);
  const others = RESULT_ORDER.filter((result) => result !== 'accepted' && counts[result] > 0);
  return (
    <Card title={t('today.sent')} value={number(counts.accepted)} isZero={counts.accepted === 0} isAlarming={counts.rejected + counts.unconfirmed > 0} open={() => go({ page: 'history' })} testId="today-sent">
      {sent === 0 ? t('today.nothingSent') : others.map((result) => <ResultCount key={result} result={result} count={counts[result]} />)}
      {sent > 0 && others.length === 0 && t('today.allAccepted')}
    </Card>
  );
}

function ResultCount({ result, count }: { result: RowResult; count: number }) {
  const { number } = useFormats();
  return (
    <span className={styles.result}>
      <ResultSign result={result} /> <span className="number">{number(count)}</span> {resultWord(result)}
    </span>
  );
}

/** Late orders and open alerts. The service's own data completes what events report. */
function FloorCards({ floor, now }: { floor: Floor; now: number }) {
  const { t } = useTranslation();
  const { number, recentDateTime, duration } = useFormats();
  const { go } = useNavigation();
  const site = useSite();
  const read = useFloorRead();
  const orders = useOperations().find((one) => one.pictures.some((picture) => picture.draw.kind === 'plan'))?.id;
  const { alertsRead, lateOrders, longestLate, stations, asked } = floor;
  const alerts = stations.flatMap((station) => station.alerts);
  const openAlerts = alerts.filter(isOpen).length;
  const acknowledged = alerts.length - openAlerts;
  const count = (state: ShownState) => stations.filter((station) => statesOf(station).has(state)).length;
  const stand = asked === null ? t('today.notRead') : t('today.read', { when: recentDateTime(asked) });
  const readButton = site?.signedIn && (
    <Button size="compact-xs" variant="subtle" onClick={() => read.mutate(undefined, { onError: showProblemNotice })} loading={read.isPending} data-testid="today-read">
      {t(asked === null ? 'today.readNow' : 'today.readAgain')}
    </Button>
  );
  return (
    <>
      <Card
        title={t('today.late')}
        value={lateOrders === null ? '–' : number(lateOrders)}
        isZero={(lateOrders ?? 0) === 0}
        isAlarming={(lateOrders ?? 0) > 0}
        open={() => go({ page: 'browse', operation: orders })}
        testId="today-late"
      >
        {longestLate.length > 0 && (
          <ul className={styles.orders}>
            {longestLate.slice(0, MAX_LISTED_ORDERS).map(({ code, operation, plannedEnd }) => (
              <li key={`${code} ${operation}`}>
                <OrderLink code={code} /> <span>{operation}</span>
                <span className={styles.due} title={t('today.due', { when: recentDateTime(plannedEnd) })}>
                  {duration(secondsSince(plannedEnd, now))}
                </span>
              </li>
            ))}
          </ul>
        )}
        <span>{stand}</span> {readButton}
      </Card>
      <Card title={t('today.alerts')} value={number(openAlerts)} isZero={openAlerts === 0} isAlarming={openAlerts > 0} open={() => go({ page: 'events', tab: 'floor' })} testId="today-alerts">
        {acknowledged > 0 && (
          <span className={styles.result}>
            <span aria-hidden>✓</span> {t('today.acknowledged', { count: acknowledged, shown: number(acknowledged) })}
          </span>
        )}
        {!alertsRead && <span>{t('today.alertsByEvents')}</span>}
      </Card>
      <Card title={t('today.running')} value={number(count('running'))} isZero={count('running') === 0} open={() => go({ page: 'events', tab: 'floor' })} testId="today-running">
        {t('today.stations', { count: stations.length, shown: number(stations.length) })}
        {count('paused') > 0 && ` · ${t('today.paused', { count: count('paused'), shown: number(count('paused')) })}`}
      </Card>
    </>
  );
}

/** Whether events are received, and when the last one came. */
function ReceiverCard({ floor, now }: { floor: Floor; now: number }) {
  const { t } = useTranslation();
  const { recentDateTime } = useFormats();
  const { go } = useNavigation();
  const { listening, last } = floor;
  const isOn = listening !== null && secondsSince(listening, now) <= MAX_SILENCE_SECONDS;
  return (
    <Card title={t('today.receiver')} value={t(isOn ? 'today.receiverOn' : 'today.receiverOff')} isAlarming={!isOn && listening !== null} open={() => go({ page: 'events' })} testId="today-receiver">
      {last === null ? t('today.noEvent') : t('today.lastEvent', { when: recentDateTime(last) })}
    </Card>
  );
}

/** Returns this computer's wall time as if it were UTC. */
function wallTime(now: Date): number {
  return now.getTime() - now.getTimezoneOffset() * 60_000;
}

/**
 * The home page: what was sent today, late orders, open alerts, the receiver, unfinished work and recent files. Before anything
 * was sent, it offers to open a workbook or a sample instead.
 */
export function TodayPage() {
  const { t } = useTranslation();
  const { day } = useFormats();
  const now = useNow(30_000);
  const { pickFile, busy } = useImport();
  const files = useRecentFiles();
  const { data: submissions } = useQuery({ queryKey: queryKeys.submissions, queryFn: () => commands.submissionList() });
  const { data: floor } = useFloor();
  const site = useSite();
  useEffect(markUsable, []);
  useTablePaste();
  const isFirst = (submissions?.length ?? 0) === 0 && files.length === 0;
  // A site's lists can be long, so they are only read on request.
  useFirstFloorRead(!isFirst && site?.site.kind === 'practice' ? floor : undefined);
  return (
    <PageFrame
      title={t('today.title')}
      subtitle={day(wallTime(new Date(now)))}
      action={
        !isFirst && (
          <Button onClick={() => void pickFile()} disabled={busy} data-testid="import-open">
            {t('import.open')}
          </Button>
        )
      }
    >
      <div className={styles.today}>
        <UnfinishedWork drafts={files.filter((file) => file.draft !== null)} />
        {isFirst ? (
          <DropArea />
        ) : (
          <ul className={styles.cards} aria-label={t('today.title')}>
            <SentCard submissions={submissions ?? []} now={now} />
            {floor && <FloorCards floor={floor} now={now} />}
            {floor && <ReceiverCard floor={floor} now={now} />}
          </ul>
        )}
        <RecentFiles files={files.filter((file) => file.draft === null)} />
        {isFirst && <Samples />}
      </div>
    </PageFrame>
  );
}

import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { IconBell, IconBellFilled, IconPlayerPlay, IconPlayerStop, IconSettings } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';

import { problemHint, problemTitle } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { commands, type ReceiverView } from '@/ipc/bindings';
import { queryKeys } from '@/base/queryKeys';

import { ReceiverSettings } from './ReceiverSettings';
import { useIsPractice } from './useIsPractice';
import { useReceiverActions } from './useReceiver';
import styles from './receiver.module.css';
import { NoticeRules } from './NoticeRules';

/** Button that shows and edits the desktop notification rules. */
function NoticesButton() {
  const { t } = useTranslation();
  const { data } = useQuery({ queryKey: queryKeys.notices, queryFn: () => commands.notices() });
  if (!data) return null;
  const Bell = data.on ? IconBellFilled : IconBell;
  const label = data.on ? t('notices.on') : t('notices.off');
  return (
    <Popover position="bottom-end" width={440} trapFocus shadow="md">
      <Popover.Target>
        <Tooltip label={label}>
          <ActionIcon variant="default" size={30} aria-label={label} data-testid="notices">
            <Bell size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('notices.title')}>
        <h2 className={styles.title}>{t('notices.title')}</h2>
        <div className={styles.scroll}>
          <NoticeRules notices={data} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The receiver's state, address, and start and stop buttons. */
export function ReceiverBar({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const acts = useReceiverActions(receiver);
  const [url] = receiver.urls;
  const resting = receiver.elsewhere ? 'elsewhere' : 'off';
  const state = url === undefined ? (receiver.problem ? 'failed' : resting) : 'on';
  return (
    <div className={styles.bar} role="group" aria-label={t('receiver.name')} data-testid="receiver" data-state={state}>
      <span className={styles.state} data-state={state}>
        <span aria-hidden>{STATE_SIGNS[state]}</span> {t(`receiver.states.${state}`)}
      </span>
      {url === undefined ? (
        <Button size="xs" leftSection={<IconPlayerPlay size={14} aria-hidden />} disabled={acts.busy} onClick={acts.start} data-testid="receiver-start">
          {t('receiver.start')}
        </Button>
      ) : (
        <>
          <code className={styles.address} data-testid="receiver-url">
            {url}
          </code>
          <CopyButton value={url} label={t('receiver.copy')} />
          <Button size="xs" variant="default" leftSection={<IconPlayerStop size={14} aria-hidden />} disabled={acts.busy} onClick={acts.stop} data-testid="receiver-stop">
            {t('receiver.stop')}
          </Button>
        </>
      )}
      <Hint receiver={receiver} />
      <RefusedRequests receiver={receiver} />
      <NoticesButton />
      <Popover position="bottom-end" width={380} trapFocus withinPortal shadow="md">
        <Popover.Target>
          <Tooltip label={t('receiver.settings')}>
            <ActionIcon variant="default" size={30} aria-label={t('receiver.settings')} data-testid="receiver-settings">
              <IconSettings size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('receiver.settings')}>
          <h2 className={styles.title}>{t('receiver.settings')}</h2>
          <div className={styles.scroll}>
            <ReceiverSettings receiver={receiver} acts={acts} />
          </div>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

/** Describes the next step. */
function Hint({ receiver: { problem, urls, elsewhere } }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const practice = useIsPractice();
  if (problem) {
    return (
      <span className={styles.problem} role="alert">
        {problemTitle(problem)} {problemHint(problem)}
      </span>
    );
  }
  if (elsewhere) return <span className={styles.hint} />;
  const hint = practice ? t('receiver.practiceHint') : t('receiver.hint');
  return <span className={styles.hint}>{urls.length === 0 ? t('receiver.offHint') : hint}</span>;
}

/** Counts refused and unsaved requests, if there are any. */
function RefusedRequests({ receiver: { refused } }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const all = refused.elsewhere + refused.unreadable + refused.notKept + refused.unverified;
  if (all === 0) return null;
  const parts = (['elsewhere', 'unreadable', 'notKept', 'unverified'] as const).filter((why) => refused[why] > 0);
  return (
    <Tooltip multiline w={320} label={parts.map((why) => `${number(refused[why])} ${t(`receiver.refused.${why}`)}`).join('; ')}>
      <span className={styles.refused} data-loud={refused.notKept + refused.unverified > 0 || undefined} tabIndex={0} data-testid="receiver-refused">
        <span aria-hidden>◆</span> {t('receiver.refusedCount', { count: all, shown: number(all) })}
      </span>
    </Tooltip>
  );
}

const STATE_SIGNS = { on: '●', elsewhere: '●', off: '○', failed: '✕' } as const;

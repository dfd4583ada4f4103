import { ActionIcon, Button, Menu, Popover, Tooltip, UnstyledButton } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import {
  IconBuildingFactory2,
  IconCheck,
  IconChecklist,
  IconChevronDown,
  IconHelp,
  IconLogin,
  IconLogout,
  IconSearch,
  IconSettings,
  IconUser,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';

import { type EventTab, type IntegrationTab, type Place, useNavigation } from '@/base/navigation';
import { SiteMark } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useHelp } from '@/features/help';
import { type Step, useImport } from '@/features/import-session';
import { useAppState, useSite } from '@/base/appState';
import { usePreferences } from '@/base/preferences';
import { useFormats } from '@/base/useFormats';
import { queryKeys } from '@/base/queryKeys';
import { SignInPanel, useSignIn } from '@/features/sign-in';
import { awaitsDecision, countProgress, isBlocked } from '@/features/submission';
import { commands } from '@/ipc/bindings';
import { ResultSign } from '@/components/marks/StatusMarks';

import { HistoryButtons } from './HistoryButtons';
import styles from './bar.module.css';

const RUNNING_POLL_INTERVAL = 2000;

/** Shows a running or paused submission while another page is open. */
function BackgroundSubmission() {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { place, go } = useNavigation();
  const session = useImport();
  const { data } = useQuery({
    queryKey: queryKeys.submissions,
    queryFn: () => commands.submissionList(),
    // Polling corrects a response that arrives after a newer event.
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'running') ? RUNNING_POLL_INTERVAL : false),
  });
  const running = data?.find((one) => one.state === 'running' || (one.state === 'paused' && !isBlocked(one)));
  if (!running) return null;
  const isShownOnPage =
    (place.page === 'history' && place.submission === running.id) ||
    (place.page === 'import' && session.plan === running.plan && (session.step === 'send' || session.step === 'results'));
  if (isShownOnPage) return null;
  const { done, toSend } = countProgress(running.counts);
  return (
    <UnstyledButton
      className={styles.chip}
      onClick={() => go({ page: 'history', submission: running.id })}
      data-testid="background-submission"
    >
      <ResultSign result={running.state === 'paused' ? 'pending' : 'sending'} />
      <span className="number">
        {t(running.state === 'paused' ? 'background.paused' : 'background.running', {
          done: number(done),
          total: number(toSend),
        })}
      </span>
    </UnstyledButton>
  );
}

/** Interval for approvals, which change without an event, in milliseconds. */
const APPROVAL_POLL_INTERVAL = 60_000;

/** Counts colleagues' submissions that await this user's approval, and opens the oldest. */
function WaitingApprovals() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { data } = useQuery({
    queryKey: queryKeys.approvals,
    queryFn: () => commands.approvalsWaiting(),
    refetchInterval: ({ state }) => (state.data?.length ? APPROVAL_POLL_INTERVAL : false),
  });
  const waiting = data?.filter((one) => one.state === 'paused' && awaitsDecision(one)) ?? [];
  const [oldest] = waiting;
  if (!oldest) return null;
  const count = waiting.length;
  return (
    <UnstyledButton
      className={styles.chip}
      title={t('approval.barHint', { count })}
      onClick={() => go({ page: 'history', submission: oldest.id })}
      data-testid="approvals-waiting"
    >
      <IconChecklist size={16} aria-hidden />
      <span className="number">{t('approval.bar', { count })}</span>
    </UnstyledButton>
  );
}

/** The remaining share of requests below which the gauge is always shown, because requests will soon have to wait. */
const LOW_LIMIT_SHARE = 0.2;

/**
 * Shows how many requests the rate limit still allows, according to the latest response. While there are enough, it is shown only
 * with technical details.
 */
function RateLimitGauge() {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  const { data } = useAppState();
  const { preferences } = usePreferences();
  const limit = data?.limit;
  if (!limit || limit.limit === 0) return null;
  const share = Math.min(1, limit.remaining / limit.limit);
  const isLow = share < LOW_LIMIT_SHARE;
  if (!isLow && !preferences.technicalDetails) return null;
  const text = limit.reset
    ? t('limit.until', { count: limit.limit, remaining: number(limit.remaining), limit: number(limit.limit), reset: dateTime(limit.reset) })
    : t('limit.plain', { count: limit.limit, remaining: number(limit.remaining), limit: number(limit.limit) });
  return (
    <Tooltip label={text}>
      <div
        className={styles.gauge}
        role="meter"
        aria-label={t('limit.name')}
        aria-valuemin={0}
        aria-valuemax={limit.limit}
        aria-valuenow={limit.remaining}
        aria-valuetext={text}
        data-testid="limit"
      >
        <span className={styles.track}>
          <span className={styles.fill} data-low={isLow} style={{ display: 'block', width: `${share * 100}%` }} />
        </span>
        <span className="number small">{number(limit.remaining)}</span>
      </div>
    </Tooltip>
  );
}

const EVENT_HELP_PAGES: Record<EventTab, string> = { list: 'events', floor: 'floor', answers: 'answers' };
const INTEGRATION_HELP_PAGES: Record<IntegrationTab, string> = { forward: 'forwarding', graphql: 'graphql' };

/** Returns the help page for a place. `step` is the current import step, null without a file. */
export function helpPageOf(place: Place, step: Step | null): string {
  switch (place.page) {
    case 'today':
      return 'home';
    case 'import':
      return step ?? 'home';
    case 'events':
      return EVENT_HELP_PAGES[place.tab ?? 'list'];
    case 'integrations':
      return INTEGRATION_HELP_PAGES[place.tab ?? 'forward'];
    case 'settings':
      return place.contract === undefined ? 'settings' : 'contract';
    case 'browse':
    case 'order':
    case 'templates':
    case 'history':
    case 'plant':
      return place.page;
  }
}

/** Toggles the help. It opens at the topic of the current page. */
function HelpButton() {
  const { t } = useTranslation();
  const { place } = useNavigation();
  const { view, step } = useImport();
  const help = useHelp();
  const isOpen = help.page !== undefined;
  const toggle = () => (isOpen ? help.close() : help.open(helpPageOf(place, view === null ? null : step)));
  return (
    <ActionIcon
      variant="subtle"
      color="petrol"
      aria-label={t('help.open')}
      title={t('help.open')}
      aria-pressed={isOpen}
      onClick={toggle}
      data-testid="help-open"
    >
      <IconHelp size={18} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}

/** Menu for signing in and out. */
function SignInMenu() {
  const { t } = useTranslation();
  const site = useSite();
  const signIn = useSignIn();
  const { open, setOpen } = signIn;
  if (!site) return null;
  if (site.signedIn) {
    return (
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" size="xs" leftSection={<IconUser size={16} aria-hidden />} data-testid="person">
            {t('person.signedIn')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconLogout size={14} aria-hidden />}
            onClick={() => void signIn.signOut()}
            data-testid="sign-out"
          >
            {t('person.signOut')}
          </Menu.Item>
          {site.site.kind === 'practice' && (
            <Menu.Item
              leftSection={<IconLogin size={14} aria-hidden />}
              onClick={() => void signIn.signOut().then(() => setOpen(true))}
              data-testid="sign-in-try"
            >
              {t('person.trySignIn')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    );
  }
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={400} trapFocus withinPortal shadow="md">
      <Popover.Target>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconUser size={16} aria-hidden />}
          onClick={() => setOpen(!open)}
          data-testid="person"
        >
          {t('person.signIn')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('person.signIn')}>
        <SignInPanel />
      </Popover.Dropdown>
    </Popover>
  );
}

async function chooseSite(name: string): Promise<void> {
  try {
    await commands.siteChoose(name);
  } catch (cause) {
    showProblemNotice(cause);
  }
}

/** Selects the site for reads and writes. */
function SiteSwitch() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const { go } = useNavigation();
  const site = useSite();
  if (!data || !site) return <span className={styles.site} />;
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <UnstyledButton className={styles.site} data-testid="site-switch" data-site={site.site.name}>
          <span className="hidden">{t('site.site')}</span>
          <SiteMark site={site.site} />
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {data.sites.map((one) => (
          <Menu.Item
            key={one.site.name}
            onClick={() => void chooseSite(one.site.name)}
            rightSection={one.chosen ? <IconCheck size={14} aria-label={t('site.chosen')} /> : null}
            data-testid={`site-${one.site.name}`}
          >
            <SiteMark site={one.site} />
          </Menu.Item>
        ))}
        <Menu.Divider />
        {site.site.kind === 'practice' && (
          <Menu.Item
            leftSection={<IconBuildingFactory2 size={14} aria-hidden />}
            onClick={() => go({ page: 'plant' })}
            data-testid="site-plant"
          >
            {t('pages.plant')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconSettings size={14} aria-hidden />} onClick={() => go({ page: 'settings' })}>
          {t('site.manage')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The top bar: history buttons, site, running submission, rate limit, help and sign-in. */
export function TopBar() {
  const { t } = useTranslation();
  return (
    <header className={styles.bar}>
      <HistoryButtons />
      <SiteSwitch />
      <div className={styles.right}>
        <WaitingApprovals />
        <BackgroundSubmission />
        <RateLimitGauge />
        <UnstyledButton className={styles.search} onClick={spotlight.open} data-testid="palette-open">
          <IconSearch size={14} aria-hidden />
          <span>{t('palette.open')}</span>
          <kbd>{t('palette.keys')}</kbd>
        </UnstyledButton>
        <HelpButton />
        <SignInMenu />
      </div>
    </header>
  );
}

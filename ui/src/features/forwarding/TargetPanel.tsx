import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { faultText } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { DetailPanel } from '@/components/page/DetailPanel';
import { commands, type ForwardedEvent, type ForwardTarget } from '@/ipc/bindings';
import { Dialog } from '@/components/page/Dialog';
import { useNavigation } from '@/base/navigation';

import { TargetForm } from './TargetForm';
import { TargetStateMark } from './TargetRow';
import { useTargetAction, useRefusedEvents } from './useTargets';
import styles from './forwarding.module.css';

/** Events that a target refused, with a button to send them again. */
function RefusedEvents({ target }: { target: ForwardTarget }) {
  const { t } = useTranslation();
  const { data = [] } = useRefusedEvents(target);
  const { act, busy } = useTargetAction();
  const resend = (events: number[]) => act(() => commands.forwardAgain(target.id, events));
  return (
    <section aria-label={t('forwarding.asideTitle')}>
      <h2 className={styles.asideTitle}>
        {t('forwarding.asideTitle')}
        <Button size="compact-xs" variant="default" disabled={busy} onClick={() => resend([])} data-testid="forward-again-all">
          {t('forwarding.againAll')}
        </Button>
      </h2>
      <ul className={styles.asides} data-testid="forward-aside">
        {data.map((one) => (
          <RefusedEvent key={one.event} delivery={one} resend={() => resend([one.event])} />
        ))}
      </ul>
    </section>
  );
}

function RefusedEvent({ delivery, resend }: { delivery: ForwardedEvent; resend: () => void }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { dateTime } = useFormats();
  const { event, stop, at, tries, fault, status, told } = delivery;
  return (
    <li>
      <div className={styles.asideHead}>
        <Button size="compact-xs" variant="subtle" color="petrol" onClick={() => go({ page: 'events', tab: 'list', event })}>
          {t('forwarding.event', { event })}
        </Button>
        {stop === 'again' ? (
          <span className="muted small">{t('forwarding.stop.again')}</span>
        ) : (
          <Button size="compact-xs" variant="default" onClick={resend} aria-label={t('forwarding.againOne', { event })} data-testid={`forward-again-${event}`}>
            {t('forwarding.again')}
          </Button>
        )}
      </div>
      <p className="small muted">{t('forwarding.asideSince', { count: tries, moment: dateTime(at ?? '') })}</p>
      <p className="small">{fault && faultText(fault, status)}</p>
      {told && <blockquote className="mono small">{told}</blockquote>}
    </li>
  );
}

/** Confirms removing a target and its queue. */
function RemoveTargetDialog({ target, close }: { target: ForwardTarget; close: () => void }) {
  const { t } = useTranslation();
  const { act, busy } = useTargetAction();
  return (
    <Dialog title={t('forwarding.removeTitle', { name: target.name })} close={close}>
      <p>{t('forwarding.removeWhat', { count: target.waiting })}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {t('common.cancel')}
        </Button>
        <Button color="red" disabled={busy} onClick={() => act(() => commands.forwardRemove(target.id))} data-testid="forward-remove-yes">
          {t('forwarding.remove')}
        </Button>
      </Group>
    </Dialog>
  );
}

type Props = { target: ForwardTarget; close: () => void };

/** A target's state, actions and events set aside. */
export function TargetPanel({ target, close }: Props) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { act, busy } = useTargetAction();
  const { id, state, waiting } = target;
  const isInactive = state === 'paused' || state === 'stopped';
  const button = (word: 'pause' | 'resume' | 'fromNow' | 'tryNow', does: () => Promise<unknown>) => (
    <Button size="xs" variant="default" disabled={busy} onClick={() => act(does)} data-testid={`forward-${word}`}>
      {t(`forwarding.${word}`)}
    </Button>
  );
  return (
    <DetailPanel title={target.name} close={close}>
      {editing ? (
        <TargetForm target={target} close={() => setEditing(false)} />
      ) : (
        <>
          <Group gap="xs">
            {isInactive ? button('resume', () => commands.forwardResume(id, false)) : button('pause', () => commands.forwardPause(id))}
            {isInactive && waiting > 0 && button('fromNow', () => commands.forwardResume(id, true))}
            {target.miss && !isInactive && button('tryNow', () => commands.forwardTry(id))}
            <Button size="xs" variant="default" onClick={() => setEditing(true)} data-testid="forward-edit">
              {t('forwarding.edit')}
            </Button>
            <Button size="xs" variant="default" onClick={() => setRemoving(true)} data-testid="forward-remove">
              {t('forwarding.remove')}
            </Button>
          </Group>
          <TargetFacts target={target} />
          {target.aside > 0 && <RefusedEvents target={target} />}
        </>
      )}
      {removing && <RemoveTargetDialog target={target} close={() => setRemoving(false)} />}
    </DetailPanel>
  );
}

function TargetFacts({ target }: { target: ForwardTarget }) {
  const { t } = useTranslation();
  const { dateTime, number } = useFormats();
  const { state, waiting, oldest, took, miss, idle, headers, signs, open } = target;
  const fact = (word: 'state' | 'address' | 'waits' | 'took' | 'since' | 'next' | 'along', value: ReactNode) => (
    <div>
      <dt>{t(`forwarding.facts.${word}`)}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <>
      {miss && state !== 'paused' && (
        <div className={styles.miss} role="status" data-testid="forward-miss">
          <p>{faultText(miss.fault, miss.status)}</p>
          {miss.told && <blockquote className="mono">{miss.told}</blockquote>}
          {state === 'refusing' && <p>{t('forwarding.refusing')}</p>}
          {state === 'stopped' && <p>{t('forwarding.stopped')}</p>}
        </div>
      )}
      {idle && (
        <p className={styles.idle} data-testid="forward-idle">
          {t(idle === 'secrets-missing' ? 'forwarding.idleSecrets' : 'forwarding.idle')}
        </p>
      )}
      {open && <p className={styles.idle}>{t('forwarding.open')}</p>}
      {state === 'unencrypted' && (
        <p className={styles.idle} data-testid="forward-held">
          {t('forwarding.held')}
        </p>
      )}
      <dl className={styles.facts} data-testid="forward-facts">
        {fact('state', <TargetStateMark state={state} />)}
        {waiting > 0 && fact('waits', t('forwarding.waitsSince', { shown: number(waiting), moment: dateTime(oldest ?? '') }))}
        {miss && state !== 'paused' && fact('since', t('forwarding.tried', { moment: dateTime(miss.since), count: miss.tries, event: miss.event }))}
        {miss && state !== 'paused' && state !== 'stopped' && fact('next', dateTime(miss.next))}
        {fact('took', took === null ? t('forwarding.never') : dateTime(took))}
        {fact('address', <code>{target.address}</code>)}
        {fact('along', [...headers, ...(signs ? [t('forwarding.signature')] : [])].join(', ') || t('forwarding.nothing'))}
      </dl>
    </>
  );
}

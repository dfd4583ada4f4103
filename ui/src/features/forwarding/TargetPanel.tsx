import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { faultText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { DetailPanel } from '@/components/page/DetailPanel';
import { type ForwardTarget, commands } from '@/ipc/bindings';
import { RefusedEvents } from './RefusedEvents';
import { RemoveTarget } from './RemoveTarget';
import { TargetForm } from './TargetForm';
import { TargetStateMark } from './TargetRow';
import { useAct } from './useTargets';
import styles from './forwarding.module.css';

type Props = { target: ForwardTarget; close: () => void };

/** One target: how it is doing and why, what can be done about it, and what was set aside. */
export function TargetPanel({ target, close }: Props) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { act, busy } = useAct();
  const { id, state, waiting } = target;
  const rests = state === 'paused' || state === 'stopped';
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
            {rests ? button('resume', () => commands.forwardResume(id, false)) : button('pause', () => commands.forwardPause(id))}
            {rests && waiting > 0 && button('fromNow', () => commands.forwardResume(id, true))}
            {target.miss && !rests && button('tryNow', () => commands.forwardTry(id))}
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
      {removing && <RemoveTarget target={target} close={() => setRemoving(false)} />}
    </DetailPanel>
  );
}

function TargetFacts({ target }: { target: ForwardTarget }) {
  const { t } = useTranslation();
  const { moment, number } = useFormats();
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
        {waiting > 0 && fact('waits', t('forwarding.waitsSince', { shown: number(waiting), moment: moment(oldest ?? '') }))}
        {miss && state !== 'paused' && fact('since', t('forwarding.tried', { moment: moment(miss.since), count: miss.tries, event: miss.event }))}
        {miss && state !== 'paused' && state !== 'stopped' && fact('next', moment(miss.next))}
        {fact('took', took === null ? t('forwarding.never') : moment(took))}
        {fact('address', <code>{target.address}</code>)}
        {fact('along', [...headers, ...(signs ? [t('forwarding.signature')] : [])].join(', ') || t('forwarding.nothing'))}
      </dl>
    </>
  );
}

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import type { TabProps } from '@/base/navigation';
import { DetailPanel } from '@/components/page/DetailPanel';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { TargetForm } from './TargetForm';
import { TargetPanel } from './TargetPanel';
import { TargetRow } from './TargetRow';
import { useTargets } from './useTargets';
import styles from './forwarding.module.css';

/** The site's forwarding targets and their states. */
export function ForwardTab({ title, actions }: TabProps) {
  const { t } = useTranslation();
  const targets = useTargets(useSite()?.site.name);
  const [open, setOpen] = useState<number | 'new' | null>(null);
  const chosen = targets?.find(({ id }) => id === open);
  const close = () => setOpen(null);
  const isEmpty = targets?.length === 0;
  const addButton = (size: 'xs' | 'sm') => (
    <Button size={size} leftSection={<IconPlus size={14} aria-hidden />} onClick={() => setOpen('new')} data-testid="forward-new">
      {t('forwarding.add')}
    </Button>
  );
  return (
    <PageFrame
      title={title}
      action={actions}
      filter={
        <>
          <p className={styles.about}>{t('forwarding.about')}</p>
          {!isEmpty && addButton('xs')}
        </>
      }
      isFullWidth
    >
      <div className={styles.page}>
        {isEmpty && <EmptyState picture="forwarding" text={t('forwarding.none')} action={addButton('sm')} />}
        <ul className={styles.targets} aria-label={t('forwarding.targets')}>
          {targets?.map((target) => (
            <TargetRow key={target.id} target={target} chosen={target.id === open} open={() => setOpen(target.id)} />
          ))}
        </ul>
      </div>
      {open === 'new' && (
        <DetailPanel title={t('forwarding.add')} close={close}>
          <TargetForm close={close} />
        </DetailPanel>
      )}
      {chosen && <TargetPanel key={chosen.id} target={chosen} close={close} />}
    </PageFrame>
  );
}

import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronDown, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { CopyButton } from '@/components/controls/CopyButton';
import { commands } from '@/ipc/bindings';
import styles from './common/plant.module.css';

/** The addresses that another program needs to use the plant. */
export function Addresses() {
  const { t } = useTranslation();
  const title = useId();
  const { data } = useQuery({ queryKey: queryKeys.practicePlant, queryFn: () => commands.practicePlant(), staleTime: Infinity });
  if (!data) return null;
  return (
    <Popover position="bottom-end" width={480} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} data-testid="plant-addresses">
          {t('plant.addresses.open')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={title}>
        <h2 id={title}>{t('plant.addresses.title')}</h2>
        <p className="small muted">{t('plant.addresses.what')}</p>
        <dl className={styles.addresses}>
          <Line label={t('siteForm.baseUrl')} value={data.baseUrl} />
          <Line label={t('siteForm.authUrl')} value={data.authUrl} />
          <Line label={t('siteForm.clientId')} value={data.clientId} />
          <Line label={t('siteForm.secret')} value={data.clientSecret} hidden />
          <Line label={t('plant.addresses.control')} value={data.controlUrl} />
          <Line label={t('plant.addresses.key')} value={data.controlKey} hidden />
        </dl>
      </Popover.Dropdown>
    </Popover>
  );
}

function Line({ label, value, hidden = false }: { label: string; value: string; hidden?: boolean }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(!hidden);
  const show = shown ? t('plant.addresses.hide', { what: label }) : t('plant.addresses.show', { what: label });
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{shown ? value : '••••••••••••'}</code>
        {hidden && (
          <Tooltip label={show}>
            <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={show} onClick={() => setShown(!shown)}>
              {shown ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
        <CopyButton value={value} label={t('plant.addresses.copy', { what: label })} />
      </dd>
    </div>
  );
}

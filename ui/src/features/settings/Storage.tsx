import { Button, NumberInput, Switch } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type PurgeView, type Retention, type StorageView, commands } from '@/ipc/bindings';
import styles from './common/settings.module.css';

const MEGABYTE = 1_000_000;
const MAX_LIMIT = 100_000;

/** Disk usage, backups, and retention of rows and events. */
export function Storage() {
  const { t } = useTranslation();
  const { data } = useStorage();
  return (
    <section className={styles.section} aria-labelledby="storage">
      <h2 id="storage">{t('storage.title')}</h2>
      {data && <StorageSizes storage={data} />}
      {data && <RetentionForm key={JSON.stringify(data.retention)} savedRetention={data.retention} managed={data.retentionManaged} />}
      {data && <Backups storage={data} />}
    </section>
  );
}

export function useStorage(): UseQueryResult<StorageView> {
  return useQuery({ queryKey: queryKeys.storage, queryFn: () => commands.storageView() });
}

function useMegabytes(): (bytes: number) => string {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (bytes) => t('storage.megabytes', { size: number(Math.ceil(bytes / MEGABYTE)) });
}

function StorageSizes({ storage }: { storage: StorageView }) {
  const { t } = useTranslation();
  const { dateTime, number } = useFormats();
  const megabytes = useMegabytes();
  const { unverifiedBytes, unverifiedOmitted, unverifiedOmittedSince: since } = storage;
  return (
    <>
      <p data-testid="storage-sizes">
        {t('storage.sizes', {
          journal: megabytes(storage.journalBytes),
          events: megabytes(storage.eventsBytes),
          logs: megabytes(storage.logsBytes),
        })}{' '}
        {unverifiedBytes > 0 && t('storage.unverified', { size: megabytes(unverifiedBytes) })}
      </p>
      {since !== null && (
        <p role="status" data-testid="storage-unverified">
          {t('storage.unverifiedOmitted', { since: dateTime(since), omitted: number(unverifiedOmitted) })}
        </p>
      )}
    </>
  );
}

function RetentionForm({ savedRetention, managed }: { savedRetention: Retention; managed: boolean }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [rule, setRule] = useState(savedRetention);
  const refetchStorage = () => queries.invalidateQueries({ queryKey: queryKeys.storage });
  const save = useMutation({ mutationFn: () => commands.retentionSave(rule), onSuccess: refetchStorage, onError: showProblemNotice });
  const limit = (name: 'rowsDays' | 'eventsDays' | 'mostMegabytes') => (
    <NumberInput
      label={t(`storage.${name}`)}
      placeholder={t('storage.unlimited')}
      value={rule[name] ?? ''}
      onChange={(value) => setRule({ ...rule, [name]: typeof value === 'number' ? value : null })}
      min={1}
      max={MAX_LIMIT}
      clampBehavior="strict"
      allowDecimal={false}
      allowNegative={false}
      w={280}
      disabled={managed}
      data-testid={`storage-${name}`}
    />
  );
  const changed = JSON.stringify(rule) !== JSON.stringify(savedRetention);
  return (
    <>
      {managed && <p className="muted">{t('settings.setByIt')}</p>}
      <div className={styles.choices}>
        {limit('rowsDays')}
        {limit('eventsDays')}
        {limit('mostMegabytes')}
        <Switch
          label={t('storage.scheduled')}
          checked={rule.scheduled}
          disabled={managed}
          onChange={(event) => setRule({ ...rule, scheduled: event.currentTarget.checked })}
          data-testid="storage-scheduled"
        />
        <Button onClick={() => save.mutate()} disabled={!changed || save.isPending || managed} data-testid="storage-save">
          {t('storage.save')}
        </Button>
      </div>
      <PurgeSection ready={!changed && (savedRetention.rowsDays ?? savedRetention.eventsDays ?? savedRetention.mostMegabytes) !== null} />
    </>
  );
}

/** Shows how much data would be deleted. Deletes it after confirmation. */
function PurgeSection({ ready }: { ready: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const megabytes = useMegabytes();
  const queries = useQueryClient();
  const [purgePreview, setPurgePreview] = useState<PurgeView | null>(null);
  const purge = useMutation({
    mutationFn: (dryRun: boolean) => commands.purge(dryRun),
    onSuccess: (view) => {
      setPurgePreview(view);
      if (!view.dryRun) void queries.invalidateQueries();
    },
    onError: showProblemNotice,
  });
  const counts = purgePreview && { rows: number(purgePreview.rows), requests: number(purgePreview.requests), events: number(purgePreview.events) };
  return (
    <div className={styles.bundle}>
      <p className="muted">{t('storage.explain')}</p>
      <div className={styles.choices}>
        <Button
          variant="default"
          onClick={() => purge.mutate(true)}
          disabled={!ready || purge.isPending}
          data-testid="purge-look"
        >
          {t('storage.look')}
        </Button>
        <Button
          color="red"
          variant="outline"
          onClick={() => purge.mutate(false)}
          disabled={!ready || purge.isPending || !purgePreview?.dryRun}
          data-testid="purge"
        >
          {t('storage.purge')}
        </Button>
      </div>
      {counts && purgePreview && (
        <p role="status" data-testid="purged">
          {t(purgePreview.dryRun ? 'storage.would' : 'storage.done', { ...counts, size: megabytes(purgePreview.bytesAfter) })}
          {purgePreview.changes > 0 && ` ${t('storage.changes', { changes: number(purgePreview.changes) })}`}
        </p>
      )}
    </div>
  );
}

function Backups({ storage }: { storage: StorageView }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const megabytes = useMegabytes();
  return (
    <div className={styles.bundle}>
      <p className="muted" data-testid="backup-rule">
        {t('storage.backupRule', { daily: storage.dailyKept, updates: storage.beforeUpdatesKept })}
      </p>
      <ul>
        {storage.backups.map((backup) => (
          <li key={backup.path}>
            {dateTime(backup.at)} · {megabytes(backup.bytes)} · <code>{backup.path}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

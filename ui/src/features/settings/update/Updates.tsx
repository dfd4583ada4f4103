import { Button, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useUpdate } from '@/base/appState';
import { problemHint, problemTitle } from '@/base/engineTexts';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { commands, type ReleaseView, type UpdateSettings, type UpdateView } from '@/ipc/bindings';
import { showWarningNotice } from '@/components/notices/warningNotice';

import styles from './update.module.css';

/** The newer version: date, release notes, and download link. */
function NewVersion({ release }: { release: ReleaseView }) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  const open = useMutation({
    mutationFn: () => commands.updateDownload(),
    onSuccess: (opened) => {
      if (!opened) showWarningNotice(t('update.noBrowser', { address: release.download ?? '' }));
    },
    onError: showProblemNotice,
  });
  const { version, date, notes, download } = release;
  const { data: installable } = useQuery({ queryKey: queryKeys.updateInstallable(version), queryFn: () => commands.updateInstallable() });
  const install = useMutation({ mutationFn: () => commands.updateInstall(), onError: showProblemNotice });
  return (
    <div className={styles.newer}>
      <p data-testid="update-newer">
        <strong>{t('update.newer', { version })}</strong>
        {date !== null && <span className="muted"> {serviceTime(date)}</span>}
      </p>
      {notes !== null && (
        <pre className={styles.notes} role="region" tabIndex={0} aria-label={t('update.notes')} data-testid="update-notes">
          {notes}
        </pre>
      )}
      <div className={styles.actions}>
        {installable === true && (
          <Button onClick={() => install.mutate()} disabled={install.isPending} data-testid="update-install">
            {install.isPending ? t('update.installing') : t('update.install')}
          </Button>
        )}
        {download !== null && (
          <Button
            variant={installable === true ? 'default' : 'filled'}
            onClick={() => open.mutate()}
            disabled={open.isPending}
            data-testid="update-download"
          >
            {t('update.download')}
          </Button>
        )}
      </div>
      {installable === true && <p className="muted small">{t('update.installWhat')}</p>}
    </div>
  );
}

/** The update check: channel, schedule and latest result. */
export function Updates() {
  const { t } = useTranslation();
  const { data } = useUpdate();
  return (
    <section className={styles.updates} aria-labelledby="updates">
      <h3 id="updates" className={styles.part}>{t('update.title')}</h3>
      {data && <ChannelForm key={JSON.stringify(data.settings)} view={data} />}
    </section>
  );
}

function ChannelForm({ view }: { view: UpdateView }) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const queries = useQueryClient();
  const savedSettings = view.settings;
  const [settings, setSettings] = useState(savedSettings);
  const save = useMutation({
    mutationFn: (next: UpdateSettings) => commands.updateSave(next),
    onSuccess: () => queries.invalidateQueries({ queryKey: queryKeys.updates }),
    onError: showProblemNotice,
  });
  const check = useMutation({
    mutationFn: () => commands.updateCheck(language),
    onSuccess: (next) => queries.setQueryData(queryKeys.update(language), next),
    onError: showProblemNotice,
  });
  const channel = (settings.channel ?? '').trim();
  const changed = channel !== (savedSettings.channel ?? '') || settings.daily !== savedSettings.daily;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (changed) save.mutate({ channel: channel === '' ? null : channel, daily: settings.daily && channel !== '' });
  };
  return (
    <>
      {view.managed && <p className="muted">{t('settings.setByIt')}</p>}
      <form className={styles.form} onSubmit={submit}>
        <TextInput
          label={t('update.channel')}
          description={t('update.channelWhat')}
          placeholder={t('update.channelExample')}
          value={settings.channel ?? ''}
          onChange={(event) => setSettings({ ...settings, channel: event.currentTarget.value })}
          maxLength={2000}
          disabled={view.managed}
          w="100%"
          data-testid="update-channel"
        />
        <Switch
          label={t('update.daily')}
          checked={settings.daily && channel !== ''}
          disabled={channel === '' || view.managed}
          onChange={(event) => setSettings({ ...settings, daily: event.currentTarget.checked })}
          data-testid="update-daily"
        />
        <div className={styles.actions}>
          <Button type="submit" disabled={!changed || save.isPending || view.managed} data-testid="update-save">
            {t('common.save')}
          </Button>
          <Button
            variant="default"
            onClick={() => check.mutate()}
            disabled={changed || savedSettings.channel === null || check.isPending}
            data-testid="update-check"
          >
            {t('update.check')}
          </Button>
        </div>
      </form>
      <LatestCheck view={view} checking={check.isPending} isRequested={check.isSuccess} />
    </>
  );
}

/** Shows the result of the latest check. A failed daily check is shown less prominently than a requested one. */
function LatestCheck({ view, checking, isRequested }: { view: UpdateView; checking: boolean; isRequested: boolean }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const { settings, installed, newer, problem, checked } = view;
  return (
    <>
      <div role="status" data-testid="update-state" aria-busy={checking}>
        {checking ? (
          <p className="muted">{t('update.checking')}</p>
        ) : settings.channel === null ? (
          <p className="muted">{t('update.noChannel')}</p>
        ) : newer ? (
          <NewVersion release={newer} />
        ) : problem ? null : checked !== null ? (
          <p>{t('update.current', { version: installed })}</p>
        ) : (
          <p className="muted">{t('update.unchecked')}</p>
        )}
      </div>
      {!checking && checked !== null && problem === null && <p className="muted small">{t('update.checked', { at: dateTime(checked) })}</p>}
      {!checking && problem && isRequested && <ProblemNote problem={problem} />}
      {!checking && problem && !isRequested && (
        <p className="muted small" data-testid="update-failed">
          {problemTitle(problem)} {problemHint(problem)}
        </p>
      )}
    </>
  );
}

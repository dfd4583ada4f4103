import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ChosenSiteFile, commands, type OwnFile } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from '../common/settings.module.css';

const labels: Record<OwnFile, 'siteForm.caFile' | 'siteForm.clientCertificate' | 'siteForm.clientKey'> = {
  'certificate-authorities': 'siteForm.caFile',
  'client-certificate': 'siteForm.clientCertificate',
  'client-key': 'siteForm.clientKey',
};

/** Previews a colleague's site file. Nothing is changed before you confirm. */
export function SiteFileImport({ chosen, close }: { chosen: ChosenSiteFile; close: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { name, baseUrl, authUrl, replaces, operations, mappings, knownMappings, rules, targets, ownFiles } = chosen.preview;
  const set = useMutation({
    mutationFn: () => commands.siteFileImport(chosen.path),
    onSuccess: () => {
      close();
      void client.invalidateQueries();
    },
  });
  return (
    <section className={styles.form} aria-labelledby="site-file" data-testid="site-file">
      <h3 id="site-file">{t('siteFile.title', { name })}</h3>
      <p>{t(replaces ? 'siteFile.replaces' : 'siteFile.new', { name })}</p>
      <dl className={styles.facts}>
        <dt>{t('siteForm.baseUrl')}</dt>
        <dd>
          <code>{baseUrl}</code>
        </dd>
        <dt>{t('siteForm.authUrl')}</dt>
        <dd>
          <code>{authUrl}</code>
        </dd>
      </dl>
      <ul>
        {operations > 0 && <li>{t('siteFile.operations', { count: operations })}</li>}
        {mappings > knownMappings && <li>{t('siteFile.mappings', { count: mappings - knownMappings })}</li>}
        {rules > 0 && <li>{t('siteFile.rules', { count: rules })}</li>}
        {targets > 0 && <li>{t('siteFile.targets', { count: targets })}</li>}
        {ownFiles.map((file) => (
          <li key={file} data-testid={`own-file-${file}`}>
            {t('siteFile.ownFile', { what: t(labels[file]) })}
          </li>
        ))}
      </ul>
      <p className="muted small">{t('siteFile.noSecrets')}</p>
      {set.error && <ProblemNote problem={toProblem(set.error)} />}
      <Group>
        <Button onClick={() => set.mutate()} loading={set.isPending} data-testid="site-file-import">
          {t('siteFile.setUp')}
        </Button>
        <Button variant="default" onClick={close} disabled={set.isPending}>
          {t('common.cancel')}
        </Button>
      </Group>
    </section>
  );
}

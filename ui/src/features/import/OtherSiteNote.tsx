import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useSiteName } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type ImportView, commands } from '@/ipc/bindings';
import styles from './site.module.css';

/** Explains why the import is bound to its site, and offers to return to it. */
export function OtherSiteNote({ view, elsewhere }: { view: ImportView; elsewhere: string }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const { destination } = view;
  if (!destination) return null;
  const { fixed } = destination;
  const [site, other] = [siteName(destination.site), siteName(elsewhere)];
  return (
    <div className={styles.elsewhere} role="alert" data-testid="other-site">
      <span>
        {fixed?.kind === 'sample'
          ? t('import.otherSite.sample', { site, other })
          : fixed
            ? t('import.otherSite.rejected', { site, other })
            : t('import.otherSite.moving', { other })}
      </span>
      {fixed && (
        <Button size="xs" onClick={() => void commands.siteChoose(destination.site).catch(showProblemNotice)} data-testid="other-site-back">
          {t('import.otherSite.back', { site })}
        </Button>
      )}
    </div>
  );
}

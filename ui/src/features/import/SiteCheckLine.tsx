import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { problemTitle, uncheckedText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { SteadyLabel } from '@/components/controls/SteadyLabel';
import { useSiteName } from '@/components/marks/SiteName';
import { useSignIn } from '@/features/sign-in';
import type { ImportView } from '@/ipc/bindings';
import { fieldName } from './common/fieldNames';
import { useImportSite } from './common/importSite';
import type { SiteCheck } from './common/useSiteCheck';
import styles from './site.module.css';

/** Shows the state of the check against the site, with a button to repeat it. */
export function SiteCheckLine({ view, against }: { view: ImportView; against: SiteCheck }) {
  const { t } = useTranslation();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const { timeOfDay } = useFormats();
  const { setOpen } = useSignIn();
  const { sense } = view;
  if (!site || !sense.needed) return null;
  const name = siteName(site.site.name);
  const isChecked = sense.site === site.site.name && sense.at !== null;
  const signIn = !site.signedIn;
  return (
    <div className={styles.line} role="status" data-testid="against" data-state={against.busy ? 'busy' : isChecked ? 'known' : 'open'}>
      <span className={styles.text}>
        {against.busy
          ? t('against.busy', { site: name })
          : isChecked
            ? t('against.known', { site: name, time: timeOfDay(sense.at ?? '') })
            : t('against.open', { site: name })}
      </span>
      {sense.problem && !against.busy && <span className={styles.problem}>{problemTitle(sense.problem)}</span>}
      {signIn && (
        <Button size="compact-xs" variant="default" onClick={() => setOpen(true)} data-testid="against-sign-in">
          {t('person.signIn')}
        </Button>
      )}
      {!signIn && (
        <Button size="compact-xs" variant="subtle" disabled={against.busy} onClick={against.again} data-testid="against-again">
          <SteadyLabel label={t(isChecked ? 'against.again' : 'against.load')} other={t(isChecked ? 'against.load' : 'against.again')} />
        </Button>
      )}
      {isChecked && !against.busy && <UncheckedFields view={view} />}
    </div>
  );
}

/** The fields that couldn't be checked, with reasons. */
function UncheckedFields({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { moment, number } = useFormats();
  const { unchecked } = view.sense;
  if (unchecked.length === 0) return null;
  return (
    <details data-testid="against-unchecked">
      <summary>{t('against.unchecked', { count: unchecked.length })}</summary>
      <ul className={styles.fields}>
        {unchecked.map((one) => (
          <li key={one.field}>
            {fieldName(view.fields, one.field, i18n.language)}: {uncheckedText(one, { moment, number })}
          </li>
        ))}
      </ul>
    </details>
  );
}

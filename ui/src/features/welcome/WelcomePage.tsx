import { Button, SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { usePreferences } from '@/base/preferences';
import { LANGUAGES } from '@/base/words';
import { startTour } from './tourState';
import styles from './welcome.module.css';

/** The page at the first start. It explains Takt, offers a choice of language, and has two ways to begin. */
export function WelcomePage() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { language, changePreferences } = usePreferences();
  const begin = () => changePreferences({ welcome: false });
  return (
    <section className={styles.page} aria-labelledby="welcome" data-testid="welcome">
      <div className={styles.words}>
        <h1 id="welcome">{t('welcome.title')}</h1>
        <p>{t('welcome.what')}</p>
        <p>{t('welcome.how')}</p>
        <p>{t('welcome.safe')}</p>
      </div>
      <div>
        <span className={styles.label} id="welcome-language">
          {t('settings.language')}
        </span>
        <SegmentedControl
          aria-labelledby="welcome-language"
          data={LANGUAGES.map((one) => ({ value: one, label: t(`languages.${one}`) }))}
          value={language}
          onChange={(one) => changePreferences({ language: one })}
          data-testid="welcome-language"
        />
      </div>
      <ul className={styles.ways}>
        <li>
          <Button size="md" fullWidth onClick={begin} data-testid="welcome-practice">
            {t('welcome.practice')}
          </Button>
          <p className="muted">{t('welcome.practiceHow')}</p>
        </li>
        <li>
          <Button
            size="md"
            variant="default"
            fullWidth
            onClick={() => {
              begin();
              go({ page: 'settings', addSite: true });
            }}
            data-testid="welcome-connect"
          >
            {t('welcome.connect')}
          </Button>
          <p className="muted">{t('welcome.connectHow')}</p>
        </li>
      </ul>
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            begin();
            startTour();
          }}
          data-testid="welcome-tour"
        >
          {t('welcome.tour')}
        </Button>
      </div>
    </section>
  );
}

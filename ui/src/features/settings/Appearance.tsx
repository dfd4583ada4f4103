import { SegmentedControl, Select, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { THEMES, usePreferences } from '@/base/preferences';
import { LANGUAGES } from '@/base/words';
import { ZOOM_LEVELS } from '@/base/values/zoom';
import type { Density, Language } from '@/ipc/bindings';
import styles from './common/settings.module.css';

const DENSITIES: readonly Density[] = ['compact', 'comfortable'];

/** Settings for language, color scheme, density and zoom. Changes apply at once. */
export function Appearance() {
  const { t } = useTranslation();
  const { preferences, changePreferences } = usePreferences();
  return (
    <section className={styles.section} aria-labelledby="appearance">
      <h2 id="appearance">{t('settings.appearance')}</h2>
      <div className={styles.choices}>
        <Select
          label={t('settings.language')}
          data={[
            { value: 'system', label: t('settings.systemLanguage') },
            ...LANGUAGES.map((language) => ({ value: language, label: t(`languages.${language}`) })),
          ]}
          value={preferences.language ?? 'system'}
          onChange={(value) => changePreferences({ language: LANGUAGES.find((one): one is Language => one === value) ?? null })}
          allowDeselect={false}
          w={280}
          data-testid="language"
        />
        <div>
          <span className={styles.label} id="look">
            {t('settings.look')}
          </span>
          <SegmentedControl
            aria-labelledby="look"
            data={THEMES.map((look) => ({ value: look, label: t(`settings.looks.${look}`) }))}
            value={preferences.look}
            onChange={(look) => changePreferences({ look })}
            size="sm"
            data-testid="look"
          />
        </div>
        <div>
          <span className={styles.label} id="density">
            {t('settings.density')}
          </span>
          <SegmentedControl
            aria-labelledby="density"
            data={DENSITIES.map((density) => ({ value: density, label: t(`settings.densities.${density}`) }))}
            value={preferences.density}
            onChange={(density) => changePreferences({ density })}
            size="sm"
            data-testid="density"
          />
        </div>
        <Select
          label={t('settings.zoom')}
          data={ZOOM_LEVELS.map((zoom) => ({ value: String(zoom), label: t('settings.percent', { value: zoom }) }))}
          value={String(preferences.zoom ?? 100)}
          onChange={(value) => changePreferences({ zoom: Number(value) === 100 ? null : Number(value) })}
          allowDeselect={false}
          w={120}
          data-testid="zoom"
        />
        <Switch
          color="petrol"
          label={t('settings.technicalDetails')}
          description={t('settings.technicalDetailsHint')}
          checked={preferences.technicalDetails === true}
          onChange={(event) => changePreferences({ technicalDetails: event.currentTarget.checked || null })}
          data-testid="technical-details"
        />
      </div>
    </section>
  );
}

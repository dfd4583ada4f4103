import { useTranslation } from 'react-i18next';

import { PageFrame } from '@/components/page/PageFrame';
import { About } from './About';
import { Appearance } from './Appearance';
import { ReceiverSection } from './ReceiverSection';
import { Secrets } from './Secrets';
import { SettingsSearch } from './SettingsSearch';
import { Sites } from './sites/Sites';
import { Storage } from './Storage';

/** Sites, where secrets are kept, how events are received, language and look, and what Takt is. */
export function SettingsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t('settings.title')}>
      <SettingsSearch>
        <Sites />
        <Secrets />
        <ReceiverSection />
        <Appearance />
        <Storage />
        <About />
      </SettingsSearch>
    </PageFrame>
  );
}

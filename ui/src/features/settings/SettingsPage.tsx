import { useTranslation } from 'react-i18next';

import { PageFrame } from '@/components/page/PageFrame';
import { useFirstLoad } from '@/components/page/useFirstLoad';
import { useReceiver, useTray } from '@/features/receiver';
import { About } from './About';
import { Appearance } from './Appearance';
import { ReceiverSection } from './ReceiverSection';
import { Secrets } from './Secrets';
import { SettingsSearch } from './SettingsSearch';
import { Sites } from './sites/Sites';
import { Storage, useStorage } from './Storage';
import { Team, useTeam } from './team/Team';

/** Sites, where secrets are kept, how events are received, language and look, the team, and what Takt is. */
export function SettingsPage() {
  const { t } = useTranslation();
  const isLoading = [useReceiver(), useTray(), useStorage(), useTeam()].some((query) => query.isLoading);
  const isFirstLoad = useFirstLoad(isLoading);
  // Its sections come together: none moves another away from under the pointer.
  if (isFirstLoad) return <PageFrame title={t('settings.title')} />;
  return (
    <PageFrame title={t('settings.title')}>
      <SettingsSearch>
        <Sites />
        <Secrets />
        <ReceiverSection />
        <Appearance />
        <Storage />
        <Team />
        <About />
      </SettingsSearch>
    </PageFrame>
  );
}

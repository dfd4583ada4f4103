import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { toProblem } from '@/ipc/problem';
import { Addresses } from './Addresses';
import { ClockStrip } from './ClockStrip';
import { Holdings } from './Holdings';
import { PlantMenu } from './PlantMenu';
import { usePlant } from './common/usePlant';
import { Floor } from './floor/Floor';
import { SidePanel } from './side/SidePanel';
import styles from './common/plant.module.css';

/** The practice plant at a glance, and in hand: its clock, its floor, its events, its faults, its requests. */
export function PlantPage() {
  const { t } = useTranslation();
  const { data: app } = useAppState();
  const { data: plant, dataUpdatedAt, error } = usePlant();
  if (app && !app.practiceReady) {
    return (
      <PageFrame title={t('plant.title')}>
        <p>{t('notice.noPractice')}</p>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('plant.title')}
      aside={plant && plant.faults.length > 0 && <FaultsMark count={plant.faults.length} />}
      action={
        <>
          <Addresses />
          {plant && <PlantMenu plant={plant} />}
        </>
      }
      filter={plant && <ClockStrip plant={plant} lookedAt={dataUpdatedAt} />}
      status={plant && <Holdings holdings={plant.holdings} />}
      edge
    >
      {plant ? (
        <div className={styles.main}>
          <Floor plant={plant} />
          <SidePanel plant={plant} />
        </div>
      ) : (
        error && (
          <div className={styles.problem}>
            <ProblemNote problem={toProblem(error)} />
          </div>
        )
      )}
    </PageFrame>
  );
}

function FaultsMark({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <span className={styles.faults} data-testid="plant-faults-on">
      <span aria-hidden>▲</span> {t('plant.faultsOn', { count })}
    </span>
  );
}

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { plainText } from '@/components/values/Markup';
import { type AlertView, type Move, type StationView, commands } from '@/ipc/bindings';
import { AlertForm } from '../common/AlertForm';
import { FormButton } from '../common/FormButton';
import { type WallTime, formatPast } from '../common/clock';
import { usePlantCommand } from '../common/usePlant';
import styles from './side.module.css';

type Props = { alerts: AlertView[]; stations: StationView[]; now: WallTime };

/** Open alerts, newest first. */
export function AlertsTab({ alerts, stations, now }: Props) {
  const { t } = useTranslation();
  const stationName = (code: string) => stations.find((station) => station.code === code)?.description ?? code;
  return (
    <>
      <div className={styles.line}>
        <FormButton label={t('alerts.raise')} testId="plant-raise-alert" disabled={stations.length === 0}>
          {(close) => <AlertForm stations={stations} close={close} />}
        </FormButton>
      </div>
      {alerts.length === 0 && <p className={styles.empty}>{t('alerts.empty')}</p>}
      <ul className={styles.list} aria-label={t('side.alerts')} tabIndex={0}>
        {alerts.map((alert) => (
          <AlertRow key={alert.id} alert={alert} station={stationName(alert.workStationCode)} now={now} />
        ))}
      </ul>
    </>
  );
}

function AlertRow({ alert, station, now }: { alert: AlertView; station: string; now: WallTime }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { run } = usePlantCommand();
  const id = alert.id ?? 0;
  const isAcknowledged = alert.status !== 0;
  const move = (alertMove: Move) => run(() => commands.plantAct(alertMove));
  return (
    <li className={styles.entry} data-testid={`plant-alert-${id}`}>
      <div className={styles.text}>
        <p className={styles.head}>
          <span className={styles.sign} data-tone={isAcknowledged ? 'quiet' : 'doubt'} aria-hidden>
            {isAcknowledged ? '○' : '◆'}
          </span>
          <b>{alert.kind}</b>
          <span className="muted">{t(isAcknowledged ? 'alerts.seen' : 'alerts.open')}</span>
        </p>
        {alert.note && <p title={alert.note}>{plainText(alert.note)}</p>}
        <p className={styles.small}>
          {station} · {formatPast(alert.opened, now, formats)}
        </p>
      </div>
      <div className={styles.buttons}>
        {!isAcknowledged && (
          <Button size="compact-sm" variant="subtle" onClick={() => move({ move: 'acknowledgeAlert', id })} data-testid={`plant-acknowledge-${id}`}>
            {t('alerts.acknowledge')}
          </Button>
        )}
        <Button size="compact-sm" variant="subtle" onClick={() => move({ move: 'closeAlert', id })} data-testid={`plant-close-${id}`}>
          {t('alerts.close')}
        </Button>
      </div>
    </li>
  );
}

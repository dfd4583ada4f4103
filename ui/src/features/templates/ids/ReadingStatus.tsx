import { Button, Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { TemplateReading } from './TemplateReadingProvider';
import type { TemplateUse } from './useTemplateUse';
import styles from '../common/templates.module.css';

type Props = { reading: TemplateReading; use: TemplateUse; ticked: number };

/** The progress of reading, or a summary of the result. */
export function ReadingStatus({ reading, use, ticked }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { view } = reading;
  if (reading.running) {
    return (
      <Walk
        done={reading.settled}
        total={reading.requested}
        rate={reading.rate}
        text={t('templates.readOf', { count: reading.requested, done: number(reading.settled), total: number(reading.requested) })}
        stop={reading.stop}
        testId="templates-stop"
      />
    );
  }
  if (use.running) {
    const { progress } = use;
    const places = { count: progress?.total ?? progress?.rows ?? 0, done: number(progress?.rows ?? 0), total: number(progress?.total ?? 0) };
    return (
      <Walk
        done={progress?.rows ?? 0}
        total={progress?.total ?? 0}
        rate={use.rate}
        text={t(progress?.total ? 'templates.ordersOf' : 'templates.ordersSoFar', places)}
        stop={use.stop}
        testId="use-stop"
      />
    );
  }
  if (!view) return null;
  return (
    <>
      <span className="number" role="status" data-testid="templates-status">
        {t('templates.status', {
          templates: number(view.templates.length),
          links: number(view.links.template.length),
          processes: number(view.processes.length),
          ticked: number(ticked),
        })}
      </span>
      {view.left.count > 0 && (
        <>
          <span className="number" data-testid="templates-left">
            {t('templates.left', { count: view.left.count })}
          </span>
          <Button size="compact-xs" variant="default" onClick={reading.resume} data-testid="templates-go-on">
            {t('templates.goOn')}
          </Button>
        </>
      )}
    </>
  );
}

type WalkProps = { done: number; total: number; rate: number; text: string; stop: () => void; testId: string };

function Walk({ done, total, rate, text: said, stop, testId }: WalkProps) {
  const { t } = useTranslation();
  const { number, duration } = useFormats();
  return (
    <>
      <Progress className={styles.progress} value={total ? (done / total) * 100 : 0} size="sm" aria-label={said} transitionDuration={120} />
      <span className="number" role="status">
        {said}
      </span>
      {rate > 0 && <span className="muted number">{t('templates.rate', { rate: number(Math.round(rate)) })}</span>}
      {rate > 0 && total > done && (
        <span className="muted number">{t('submission.remaining', { time: duration((total - done) / rate) })}</span>
      )}
      <Button size="compact-xs" variant="default" onClick={stop} data-testid={testId}>
        {t('browse.stop')}
      </Button>
    </>
  );
}

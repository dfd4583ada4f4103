import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { displayedSiteKind, useSiteName } from '@/components/marks/SiteName';
import { StartProblem } from '@/components/notices/StartProblem';
import { useImport } from '@/features/import-session';
import type { ImportView } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { useImportSite } from '../common/importSite';
import { sentSteps } from '../common/plan';
import { useRowCountLabel } from '../common/useRowCountLabel';
import { useCurrentPreview } from '../preview/usePreview';
import { usePreviewOutcome, useSubmissionStart } from './useSubmissionStart';

/**
 * Returns the number of changes that can be sent from the preview, without the send step. That is 0 if a person should read the
 * send step first: at a production site, for deletes, or if there are findings, alarms or conflicts.
 */
export function useReadyChanges(view: ImportView): number {
  const { isReadyChange, plan } = useImport();
  const site = useImportSite(view);
  const operations = useOperations();
  const preview = useCurrentPreview(view);
  const { skippedRows } = usePreviewOutcome(view);
  const { totals } = view;
  if (!isReadyChange || plan !== null || !preview || !site?.signedIn || displayedSiteKind(site.site) === 'production') return 0;
  const hasFindings = totals.errorRows + totals.warningRows + preview.counts.conflict > 0;
  const hasAlarms = preview.steps.some((step) => step.problem !== null || step.alarms.some((alarm) => alarm.kind !== 'dates-moved'));
  const isKnown = sentSteps(view).every((step) => {
    const operation = operations.find((one) => one.id === step.operation);
    return operation?.kind === 'sync' && !operation.untried;
  });
  return hasFindings || hasAlarms || !isKnown ? 0 : Math.max(0, totals.readyRows - skippedRows);
}

/** Sends the changes of the preview. */
export function SendNow({ view, count }: { view: ImportView; count: number }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const rowCountLabel = useRowCountLabel(view);
  const { goToStep } = useImport();
  const { start, isStarting, error, retry, skipClaimed } = useSubmissionStart(view, { onStarted: () => goToStep('send') });
  const label = t('send.send', { things: rowCountLabel(count), site: siteName(view.destination?.site ?? '') });
  return (
    <>
      <Button size="sm" disabled={isStarting} onClick={() => start({ label })} data-testid="send-now">
        {label}
      </Button>
      {error && (
        <div>
          <StartProblem problem={toProblem(error)} busy={isStarting} retry={retry} skipClaimed={skipClaimed} />
        </div>
      )}
    </>
  );
}

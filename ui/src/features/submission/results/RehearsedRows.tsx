import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ResultMark } from '@/components/marks/StatusMarks';
import { useSiteName } from '@/components/marks/SiteName';
import { Dialog } from '@/components/page/Dialog';
import { type RehearsalComparison, type ResultRow, type SubmissionView, commands } from '@/ipc/bindings';
import styles from '../common/submission.module.css';

/** Compares a rehearsal with the actual results. Hidden if there was no rehearsal. */
export function RehearsedRows({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [opened, { open, close }] = useDisclosure(false);
  const { id, state } = submission;
  const { data } = useQuery({
    queryKey: queryKeys.rehearsalComparison(id, submission.counts),
    queryFn: async () => (await commands.rehearsalComparison(id)) ?? null,
    enabled: state !== 'running',
    // The rehearsed or the actual submission may have been sent in the meantime.
    refetchOnMount: 'always',
  });
  if (!data) return null;
  const { same, different, onlyRehearsed, onlyReal } = data;
  const count = same + different;
  return (
    <div className={styles.rehearsed} data-testid="rehearsal-comparison">
      <strong data-testid="rehearsal-headline">
        {different === 0 ? t('rehearsal.compare.all', { count }) : t('rehearsal.compare.some', { count, same: number(same) })}
      </strong>
      {onlyReal > 0 && <span className="muted">{t('rehearsal.compare.onlyReal', { count: onlyReal })}</span>}
      {onlyRehearsed > 0 && <span className="muted">{t('rehearsal.compare.onlyRehearsed', { count: onlyRehearsed })}</span>}
      {different > 0 && (
        <Button size="xs" variant="default" onClick={open} data-testid="rehearsal-differences">
          {t('rehearsal.compare.show', { count: different })}
        </Button>
      )}
      {opened && <Differences comparison={data} shown={id} close={close} />}
    </div>
  );
}

type DifferencesProps = { comparison: RehearsalComparison; shown: number; close: () => void };

/** The differences per row, with a link to the other submission. */
function Differences({ comparison, shown, close }: DifferencesProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { go } = useNavigation();
  const site = useSiteName()(comparison.real.site);
  const { rehearsal, real, sameFile, different, differences } = comparison;
  const other = shown === real.id ? rehearsal : real;
  return (
    <Dialog title={t('rehearsal.compare.title')} close={close} wide>
      {!sameFile && <p className="muted small">{t('rehearsal.compare.otherFile')}</p>}
      <div className={styles.compared} role="group" aria-label={t('rehearsal.compare.title')} tabIndex={0}>
        <table aria-label={t('rehearsal.compare.title')} data-testid="rehearsal-rows">
          <thead>
            <tr>
              <th scope="col">{t('submission.row')}</th>
              <th scope="col">{t('submission.key')}</th>
              <th scope="col">{t('rehearsal.compare.rehearsed')}</th>
              <th scope="col">{t('rehearsal.compare.real', { site })}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((row) => (
              <tr key={`${row.real.sheet}:${String(row.real.row)}`}>
                <td className="number">{row.real.row}</td>
                <th scope="row" className="mono">
                  {row.key}
                </th>
                <RowOutcome row={row.rehearsed} />
                <RowOutcome row={row.real} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {different > differences.length && (
        <p className="muted small">{t('rehearsal.compare.more', { shown: number(differences.length), count: different })}</p>
      )}
      <Group justify="space-between">
        <Button
          variant="default"
          onClick={() => {
            close();
            go({ page: 'history', submission: other.id });
          }}
          data-testid="rehearsal-other"
        >
          {t(other.id === rehearsal.id ? 'rehearsal.compare.openRehearsal' : 'rehearsal.compare.openReal')}
        </Button>
        <Button variant="default" onClick={close} data-testid="rehearsal-differences-close">
          {t('common.close')}
        </Button>
      </Group>
    </Dialog>
  );
}

function RowOutcome({ row }: { row: ResultRow }) {
  return (
    <td>
      <ResultMark result={row.result} />
      {row.reasons.map((reason) => (
        <p key={reason} className="small">
          {reason}
        </p>
      ))}
    </td>
  );
}

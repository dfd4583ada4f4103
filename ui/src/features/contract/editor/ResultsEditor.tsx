import { Checkbox, Group, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ResultsDraft } from './operationEdit';
import contract from '../common/contract.module.css';

const members = ['list', 'reasons', 'index', 'all', 'accepted', 'rejected'] as const;

/** What is answered to rows that are sent. */
export function ResultsEditor({ results, change }: { results: ResultsDraft; change: (results: ResultsDraft) => void }) {
  const { t } = useTranslation();
  return (
    <div className={contract.section}>
      <h3>{t('contract.results.title')}</h3>
      <Checkbox
        size="xs"
        label={t('contract.results.onlyFailures')}
        checked={results.onlyFailures}
        onChange={(event) => change({ ...results, onlyFailures: event.currentTarget.checked })}
        data-testid="edit-only-failures"
      />
      <Group gap={8}>
        {members.map((member) => (
          <TextInput
            key={member}
            size="xs"
            w={170}
            label={t(`contract.results.${member}`)}
            value={results[member]}
            onChange={(event) => change({ ...results, [member]: event.currentTarget.value })}
            data-testid={`edit-results-${member}`}
          />
        ))}
      </Group>
    </div>
  );
}

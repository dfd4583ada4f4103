import { Button, Group, TextInput } from '@mantine/core';
import { type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import type { ContractPreview } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from './common/contract.module.css';

type Props = { fetch: UseMutationResult<ContractPreview, Error, string | null> };

/** Explains why the site returned no document, and asks for another address. */
export function FetchDocument({ fetch }: Props) {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  if (!fetch.error) return null;
  return (
    <section className={styles.section}>
      <ProblemNote problem={toProblem(fetch.error)} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          fetch.mutate(address.trim() || null);
        }}
      >
        <Group gap={8} align="flex-end">
          <TextInput
            label={t('contract.fetchAt')}
            description={t('contract.fetchAtHint')}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            data-testid="contract-address"
          />
          <Button type="submit" variant="default" loading={fetch.isPending} disabled={!address.trim()} data-testid="contract-fetch-at">
            {t('contract.fetchAgain')}
          </Button>
        </Group>
      </form>
    </section>
  );
}

import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import styles from '../common/submission.module.css';

/** Longer than the pause between two keys. */
const PAUSE = 250;

/** Finds rows by key, reason or number. */
export function RowSearch({ find, setFind }: { find: string; setFind: (text: string) => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(find);
  const settle = useDebouncedCallback(setFind, PAUSE);
  return (
    <TextInput
      className={styles.find}
      size="xs"
      aria-label={t('submission.find')}
      placeholder={t('submission.find')}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
      data-testid="find-row"
    />
  );
}

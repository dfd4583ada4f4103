import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

import styles from './searchInput.module.css';

/** Debounce for the search, in milliseconds. */
const SEARCH_DELAY = 250;

type Props = { label: string; text: string; onSearch: (text: string) => void; testId: string };

/** A search field for the rows of a grid. It searches when the user pauses. */
export function SearchInput({ label, text, onSearch, testId }: Props) {
  const [typed, setTyped] = useState(text);
  const searchDebounced = useDebouncedCallback(onSearch, SEARCH_DELAY);
  return (
    <TextInput
      className={styles.search}
      size="xs"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        searchDebounced(event.currentTarget.value);
      }}
      data-testid={testId}
    />
  );
}

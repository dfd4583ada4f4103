import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';

import { copyText } from '@/ipc/clipboard';

/** For how long a button says that it copied, in milliseconds. */
const shown = 2000;

/** Copies a text, and says so for a moment. */
export function useCopy() {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), shown);
  const copy = async (text: string | Promise<string>) => {
    setCopied(await copyText(text).catch(() => false));
    start();
  };
  return { copied, copy };
}

import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';

import { copyText } from '@/ipc/clipboard';

/** The time for which a button confirms a copy, in milliseconds. */
const CONFIRMATION_TIME = 2000;

/** Copies a text and sets `copied` for a short time. */
export function useCopy() {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), CONFIRMATION_TIME);
  const copy = async (text: string | Promise<string>) => {
    setCopied(await copyText(text).catch(() => false));
    start();
  };
  return { copied, copy };
}

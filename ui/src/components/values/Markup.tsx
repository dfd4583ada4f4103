import { Button } from '@mantine/core';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SteadyLabel } from '../controls/SteadyLabel';
import { sanitizeMarkup, hasMarkup } from './sanitize';
import styles from './values.module.css';

/** Maximum length of rendered markup. Longer texts are shown unchanged. */
const MAX_LENGTH = 100_000;

/** A text from the service. Markup is sanitized and rendered, and the raw text can be shown instead. */
export function Markup({ text }: { text: string }) {
  const { t } = useTranslation();
  const [raw, setRaw] = useState(false);
  if (text.length > MAX_LENGTH || !hasMarkup(text)) return text;
  return (
    <span className={styles.markup}>
      {raw ? <code data-testid="markup-raw">{text}</code> : <SanitizedMarkup text={text} />}
      <Button size="compact-xs" variant="subtle" onClick={() => setRaw((now) => !now)} data-testid="markup-switch">
        <SteadyLabel label={t(raw ? 'detail.asWritten' : 'detail.asText')} other={t(raw ? 'detail.asText' : 'detail.asWritten')} />
      </Button>
    </span>
  );
}

function SanitizedMarkup({ text }: { text: string }) {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => container.current?.replaceChildren(sanitizeMarkup(text)), [text]);
  return <div ref={container} className={styles.drawn} data-testid="markup" />;
}

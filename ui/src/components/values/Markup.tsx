import { Button } from '@mantine/core';
import createPurifier, { type Config } from 'dompurify';
import { useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { FixedWidthLabel } from '../controls/FixedWidthLabel';
import styles from './values.module.css';

/**
 * Allowed markup: text styles, line breaks, lists and tables. All attributes are removed, so there are no links, pictures, styles
 * or events.
 */
const ALLOWED_MARKUP: Config = {
  ALLOWED_TAGS: [
    'a', 'b', 'blockquote', 'br', 'caption', 'center', 'code', 'dd', 'del', 'div', 'dl', 'dt', 'em', 'font', 'hr', 'i', 'ins', 'kbd', 'li', 'mark',
    'ol', 'p', 'pre', 's', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'u', 'ul',
  ],
  ALLOWED_ATTR: [],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOW_UNKNOWN_PROTOCOLS: false,
  KEEP_CONTENT: true,
  RETURN_DOM_FRAGMENT: true,
};

const TAG_PATTERN = /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+);/iu;

/** Whether a text contains markup. */
export function hasMarkup(text: string): boolean {
  return TAG_PATTERN.test(text);
}

/** Sanitizes an untrusted text and returns it as new nodes. */
export function sanitizeMarkup(text: string): DocumentFragment {
  const purifier = createPurifier(window);
  return purifier.sanitize(text, { ...ALLOWED_MARKUP, RETURN_DOM_FRAGMENT: true });
}

/** Returns a text on one line, without its markup. Show the text itself as a tooltip, because `<` may not begin a tag. */
export function plainText(text: string): string {
  if (text.length > MAX_MARKUP_LENGTH || !hasMarkup(text)) return text;
  const fragment = sanitizeMarkup(text.replaceAll(/<(?:br|p|li|div|tr)\b/giu, ' $&'));
  return (fragment.textContent ?? '').replaceAll(/\s+/gu, ' ').trim();
}

/** Maximum length of rendered markup. Longer texts are shown unchanged. */
const MAX_MARKUP_LENGTH = 100_000;

/** A text from the service. Markup is sanitized and rendered, and the raw text can be shown instead. */
export function Markup({ text }: { text: string }) {
  const { t } = useTranslation();
  const [raw, setRaw] = useState(false);
  if (text.length > MAX_MARKUP_LENGTH || !hasMarkup(text)) return text;
  return (
    <span className={styles.markup}>
      {raw ? <code data-testid="markup-raw">{text}</code> : <SanitizedMarkup text={text} />}
      <Button size="compact-xs" variant="subtle" onClick={() => setRaw((now) => !now)} data-testid="markup-switch">
        <FixedWidthLabel label={t(raw ? 'detail.asWritten' : 'detail.asText')} other={t(raw ? 'detail.asText' : 'detail.asWritten')} />
      </Button>
    </span>
  );
}

function SanitizedMarkup({ text }: { text: string }) {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => container.current?.replaceChildren(sanitizeMarkup(text)), [text]);
  return <div ref={container} className={styles.drawn} data-testid="markup" />;
}

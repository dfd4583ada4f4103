import createPurifier, { type Config } from 'dompurify';

/**
 * Allowed markup: words, lines, lists and tables. All attributes are removed, so there are no links, pictures, styles or events.
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

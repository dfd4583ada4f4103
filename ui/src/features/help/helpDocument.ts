import createPurifier, { type Config } from 'dompurify';

/** Prefix of a page ID in links. A plain `#` would be a link to another part of the window. */
export const PAGE_PREFIX = './#';

/** Allowed markup of a help page. It contains the site's own names, so it isn't trusted. */
const ALLOWED_MARKUP: Config = {
  ALLOWED_TAGS: ['a', 'blockquote', 'br', 'code', 'em', 'h1', 'h2', 'h3', 'img', 'li', 'ol', 'p', 'pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ALLOWED_ATTR: ['href', 'src', 'alt'],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:\.\/#|data:image\/png;base64,)/u,
};

/** Sanitizes a help page. Links can't leave the window. */
export function helpDocument(html: string): DocumentFragment {
  return createPurifier(window).sanitize(html, { ...ALLOWED_MARKUP, RETURN_DOM_FRAGMENT: true });
}

import createPurifier, { type Config } from 'dompurify';

/** Before the id of a page that a link opens. A mere `#` would be a way to skip to another part of the window. */
export const pageAddress = './#';

/** What a page of the help is made of. A site's own names are part of it, so it isn't trusted. */
const allowed: Config = {
  ALLOWED_TAGS: ['a', 'blockquote', 'br', 'code', 'em', 'h1', 'h2', 'h3', 'img', 'li', 'ol', 'p', 'pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ALLOWED_ATTR: ['href', 'src', 'alt'],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:\.\/#|data:image\/png;base64,)/u,
};

/** A page as nodes: nothing in it leads out of the window. */
export function helpDocument(html: string): DocumentFragment {
  return createPurifier(window).sanitize(html, { ...allowed, RETURN_DOM_FRAGMENT: true });
}

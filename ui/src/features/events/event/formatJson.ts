/** Formats JSON over lines without parsing it, so numbers keep all their digits. */
export function formatJson(text: string): string {
  let made = '';
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quoted) {
      made += character;
      if (character === '\\') {
        at += 1;
        made += text[at] ?? '';
      } else if (character === '"') quoted = false;
      continue;
    }
    if (character === '"') {
      quoted = true;
      made += character;
    } else if (character === '{' || character === '[') {
      const end = emptyEnd(text, at + 1);
      if (end === null) {
        depth += 1;
        made += character + line(depth);
      } else {
        made += character + (text[end] ?? '');
        at = end;
      }
    } else if (character === '}' || character === ']') {
      depth -= 1;
      made += line(depth) + character;
    } else if (character === ',') made += character + line(depth);
    else if (character === ':') made += ': ';
    else if (character.trim() !== '') made += character;
  }
  return made;
}

/** Returns the end of an empty object or list, null if it isn't empty. */
function emptyEnd(text: string, from: number): number | null {
  let at = from;
  while (at < text.length && (text[at] ?? '').trim() === '') at += 1;
  return text[at] === '}' || text[at] === ']' ? at : null;
}

function line(depth: number): string {
  return `\n${'  '.repeat(Math.max(0, depth))}`;
}

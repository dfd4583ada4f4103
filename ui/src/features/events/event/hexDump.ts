/** Formats bytes as lines of offset, eight bytes and printable characters. */
export function hexDump(hex: string): string {
  const bytes = hex.match(/../gu) ?? [];
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const some = bytes.slice(at, at + BYTES_PER_LINE);
    const readable = some.map((byte) => character(Number.parseInt(byte, 16))).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${some.join(' ').padEnd(BYTES_PER_LINE * 3 - 1)}  ${readable}`);
  }
  return lines.join('\n');
}

const BYTES_PER_LINE = 8;

function character(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCodePoint(byte) : '.';
}

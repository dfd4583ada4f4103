import type { CodeName, Scalar, ValueForm } from '@/ipc/bindings';

/** Formats codes for editing: `Production: 1, Rework: 2`. */
export function formatCodes(form: ValueForm | undefined): string {
  return form?.form === 'codes' ? form.codes.map(({ name, wire }) => `${name}: ${String(wire)}`).join(', ') : '';
}

/** Parses typed codes, null if a part has no value. */
export function parseCodes(text: string): CodeName[] | null {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const codes = parts.map((part) => {
    const at = part.lastIndexOf(':');
    return { name: part.slice(0, Math.max(at, 0)).trim(), wire: parseScalar(part.slice(at + 1).trim()) };
  });
  return codes.every(({ name, wire }) => name !== '' && wire !== '') ? codes : null;
}

function parseScalar(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,9}$/.test(text) ? Number(text) : text;
}

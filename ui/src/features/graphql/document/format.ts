import { type ParseError, type ParseOptions, applyEdits, format, parse } from 'jsonc-parser';

/** Formats a query and keeps its comments. Invalid text is returned unchanged. */
export async function formatQuery(query: string): Promise<string> {
  // Prettier is large, so it is loaded on demand.
  const [{ format: layOut }, graphql] = await Promise.all([import('prettier/standalone'), import('prettier/plugins/graphql')]);
  return layOut(query, { parser: 'graphql', plugins: [graphql] }).catch(() => query);
}

/** Formats JSON with one member per line and keeps its comments. Invalid text is returned unchanged. */
export function formatJson(json: string): string {
  return isJson(json) ? applyEdits(json, format(json, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' })) : json;
}

/** Parses the text of the variables. Text that isn't JSON is returned unchanged, so that the engine can refuse it. */
export function parseVariables(json: string): unknown {
  return isJson(json) ? (parse(json, [], PARSE_OPTIONS) as unknown) : json.trim() || null;
}

function isJson(json: string): boolean {
  const errors: ParseError[] = [];
  parse(json, errors, PARSE_OPTIONS);
  return errors.length === 0;
}

/** Variables may contain comments and a trailing comma. */
const PARSE_OPTIONS: ParseOptions = { allowTrailingComma: true };

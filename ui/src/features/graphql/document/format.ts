import { type ParseError, type ParseOptions, applyEdits, format, parse } from 'jsonc-parser';

/** The query laid out evenly, comments included; as it is where it can't be read. */
export async function formattedQuery(query: string): Promise<string> {
  // Loaded when somebody formats a query.
  const [{ format: layOut }, graphql] = await Promise.all([import('prettier/standalone'), import('prettier/plugins/graphql')]);
  return layOut(query, { parser: 'graphql', plugins: [graphql] }).catch(() => query);
}

/** JSON with one member per line, comments included; as it is where it can't be read. */
export function formattedJson(json: string): string {
  return isJson(json) ? applyEdits(json, format(json, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' })) : json;
}

/** Parses the text of the variables. Text that isn't JSON is returned unchanged, because the engine refuses it. */
export function readVariables(json: string): unknown {
  return isJson(json) ? (parse(json, [], asTyped) as unknown) : json.trim() || null;
}

function isJson(json: string): boolean {
  const errors: ParseError[] = [];
  parse(json, errors, asTyped);
  return errors.length === 0;
}

/** Variables may hold comments and a comma too many. */
const asTyped: ParseOptions = { allowTrailingComma: true };

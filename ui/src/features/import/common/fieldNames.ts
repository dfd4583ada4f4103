import type { FieldView, Problem } from '@/ipc/bindings';

/** Returns a field's display name in a language, or else in English, or else its path. */
export function fieldName(fields: readonly FieldView[], path: string, language: string): string {
  const field = fields.find((one) => one.path === path);
  return field?.names[language] || field?.names.en || path;
}

/** Replaces a field's path in a problem with its display name. */
export function withFieldName(problem: Problem, fields: readonly FieldView[], language: string): Problem {
  const { field } = problem.parameters;
  if (!field) return problem;
  return { ...problem, parameters: { ...problem.parameters, field: fieldName(fields, field, language) } };
}

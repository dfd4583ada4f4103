import type { FieldView, Problem } from '@/ipc/bindings';

/** A field as a person reads it: the name of a part follows the name of its list, which the path shows. */
export function fieldName(fields: readonly FieldView[], path: string, language: string): string {
  const field = fields.find((one) => one.path === path);
  return field?.names[language] || field?.names.en || path;
}

/** A refusal that names a field by its path names it as the page does. */
export function inWords(problem: Problem, fields: readonly FieldView[], language: string): Problem {
  const { field } = problem.parameters;
  if (!field) return problem;
  return { ...problem, parameters: { ...problem.parameters, field: fieldName(fields, field, language) } };
}

import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

/** Returns all files below `src` with one of these extensions, except tests. */
export function sourceFiles(...endings: string[]): { file: string; text: string }[] {
  return listFiles(root)
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .filter((file) => !file.includes(`${path.sep}test${path.sep}`) && !/\.test\.tsx?$/u.test(file))
    .map((file) => ({ file: path.relative(root, file).split(path.sep).join('/'), text: readFileSync(file, 'utf8') }));
}

/** Returns all files in a folder, recursively. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    return statSync(file).isDirectory() ? listFiles(file) : [file];
  });
}

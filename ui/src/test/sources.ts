import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

/** Every file under `src` with one of these endings, tests left out. */
export function sources(...endings: string[]): { file: string; text: string }[] {
  return files(root)
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .filter((file) => !file.includes(`${path.sep}test${path.sep}`) && !/\.test\.tsx?$/u.test(file))
    .map((file) => ({ file: path.relative(root, file).split(path.sep).join('/'), text: readFileSync(file, 'utf8') }));
}

/** Every file in a folder, and in the folders within it. */
export function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    return statSync(file).isDirectory() ? files(file) : [file];
  });
}

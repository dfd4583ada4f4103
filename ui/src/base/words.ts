import i18next, { type ResourceLanguage } from 'i18next';
import { initReactI18next } from 'react-i18next';

import type { Language } from '@/ipc/bindings';
import english from '@/locales/en.json';
import englishEngine from '../../../src-tauri/crates/takt-core/locales/en.json';

export const LANGUAGES: readonly Language[] = ['en', 'de', 'es', 'pt'];

type Sections = Record<string, unknown>;

const LANGUAGE_LOADERS: Record<Exclude<Language, 'en'>, () => Promise<[Sections, Sections]>> = {
  de: () => loadSections(import('@/locales/de.json'), import('../../../src-tauri/crates/takt-core/locales/de.json')),
  es: () => loadSections(import('@/locales/es.json'), import('../../../src-tauri/crates/takt-core/locales/es.json')),
  pt: () => loadSections(import('@/locales/pt.json'), import('../../../src-tauri/crates/takt-core/locales/pt.json')),
};

/** Starts i18next in English, the fallback of all languages. */
export async function initTranslations(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    fallbackLng: 'en',
    defaultNS: 'ui',
    ns: ['ui'],
    resources: { en: buildNamespaces(english, englishEngine) },
    // A missing value is shown as a dash, as in the engine's texts.
    missingInterpolationHandler: () => '–',
    interpolation: { escapeValue: false, skipOnVariables: true },
    returnNull: false,
  });
}

/** Returns the system's preferred supported language, or English. */
export function systemLanguage(): Language {
  for (const preferred of navigator.languages) {
    const language = LANGUAGES.find((one) => preferred.toLowerCase().startsWith(one));
    if (language) return language;
  }
  return 'en';
}

export async function switchLanguage(language: Language): Promise<void> {
  if (language !== 'en' && !i18next.hasResourceBundle(language, 'ui')) {
    const [windowTexts, engineTexts] = await LANGUAGE_LOADERS[language]();
    for (const [name, section] of Object.entries(buildNamespaces(windowTexts, engineTexts))) i18next.addResourceBundle(language, name, section);
  }
  // Changing the language renders all components, so it is skipped if nothing changes.
  if (i18next.language !== language) await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Builds the namespaces: the window's texts as `ui`, and each engine section (`problem`, `finding`, …) as its own. */
function buildNamespaces(own: Sections, engine: Sections): ResourceLanguage {
  const resource: ResourceLanguage = { ui: addManyForms(own) };
  for (const [name, section] of Object.entries(engine)) {
    if (typeof section === 'object' && section !== null) resource[name] = addManyForms(section as Sections);
  }
  return resource;
}

/** Adds the plural form `many`, which Spanish and Portuguese use for millions, with the text of `other`. */
function addManyForms(texts: Sections): Sections {
  const result: Sections = {};
  for (const [key, value] of Object.entries(texts)) {
    result[key] = typeof value === 'object' && value !== null ? addManyForms(value as Sections) : value;
    if (key.endsWith('_other')) result[key.replace(/_other$/u, '_many')] = value;
  }
  return result;
}

async function loadSections(
  own: Promise<{ default: Sections }>,
  engine: Promise<{ default: Sections }>,
): Promise<[Sections, Sections]> {
  const [mine, theirs] = await Promise.all([own, engine]);
  return [mine.default, theirs.default];
}

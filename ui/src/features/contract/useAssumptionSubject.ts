import { useTranslation } from 'react-i18next';

import type english from '@/locales/en.json';

type KnownAssumption = keyof (typeof english)['contract']['assumptions']['subjects'];

type Subject = {
  text: string;
  /** Of a text that isn't in the window's language. */
  lang?: 'en';
};

/** What an assumption is about, in the window's language; in the document's own words where the language files don't know it. */
export function useAssumptionSubject(id: string, subject: string): Subject {
  const { t, i18n } = useTranslation();
  const isKnown = (name: string): name is KnownAssumption => i18n.exists(`contract.assumptions.subjects.${name}`);
  return isKnown(id) ? { text: t(`contract.assumptions.subjects.${id}`) } : { text: subject, lang: 'en' };
}

import { useTranslation } from 'react-i18next';

import type english from '@/locales/en.json';

type KnownAssumption = keyof (typeof english)['contract']['assumptions']['subjects'];

type Subject = {
  text: string;
  /** The text's language, if it isn't the window's. */
  lang?: 'en';
};

/** Returns an assumption's subject in the window's language, or in English if it has no translation. */
export function useAssumptionSubject(id: string, subject: string): Subject {
  const { t, i18n } = useTranslation();
  const isKnown = (name: string): name is KnownAssumption => i18n.exists(`contract.assumptions.subjects.${name}`);
  return isKnown(id) ? { text: t(`contract.assumptions.subjects.${id}`) } : { text: subject, lang: 'en' };
}

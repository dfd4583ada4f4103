import { useColorScheme, useMediaQuery } from '@mantine/hooks';
import { type ReactNode, createContext, use, useCallback, useEffect, useMemo, useState } from 'react';

import { type Density, type Language, type Preferences, type Theme, commands } from '@/ipc/bindings';
import { switchLanguage, systemLanguage } from './words';

/** The choices of colors, in the order of the settings. */
export const THEMES: readonly Theme[] = ['system', 'light', 'dark', 'contrast'];

/** The color scheme in use, after applying the system's setting. */
export type ColorScheme = 'light' | 'dark' | 'contrast';

type PreferencesContextValue = {
  preferences: Preferences;
  colorScheme: ColorScheme;
  language: Language;
  density: Density;
  changePreferences: (some: Partial<Preferences>) => void;
  /** Applies preferences changed in another window, without saving them. */
  applyExternalChange: (preferences: Preferences) => void;
};

const PreferencesContext = createContext<PreferencesContextValue | null>(null);

/** Applies language, color scheme and density to the document, and saves changes. */
export function PreferencesProvider({ first: initial, children }: { first: Preferences; children: ReactNode }) {
  const [preferences, setPreferences] = useState(initial);
  const scheme = useColorScheme(undefined, { getInitialValueInEffect: false });
  const prefersContrast = useMediaQuery('(prefers-contrast: more)', false, { getInitialValueInEffect: false });
  const colorScheme = preferences.look === 'system' ? systemColorScheme(scheme, prefersContrast) : preferences.look;
  const language = preferences.language ?? systemLanguage();
  const { density } = preferences;

  useEffect(() => {
    document.documentElement.dataset.look = colorScheme;
    document.documentElement.dataset.density = density;
  }, [colorScheme, density]);
  useEffect(() => {
    void switchLanguage(language);
    commands.languageSet(language).catch(() => undefined);
  }, [language]);

  const changePreferences = useCallback(
    (some: Partial<Preferences>) => {
      const next = { ...preferences, ...some };
      setPreferences(next);
      // The change is applied before it is saved. If saving fails, it lasts until Takt is closed.
      commands.preferencesSave(next).catch(() => undefined);
    },
    [preferences],
  );
  const value = useMemo(
    () => ({ preferences, colorScheme, language, density, changePreferences, applyExternalChange: setPreferences }),
    [preferences, colorScheme, language, density, changePreferences],
  );
  return <PreferencesContext value={value}>{children}</PreferencesContext>;
}

export function usePreferences(): PreferencesContextValue {
  const value = use(PreferencesContext);
  if (!value) throw new Error('outside PreferencesProvider');
  return value;
}

function systemColorScheme(scheme: 'light' | 'dark' | 'auto', strong: boolean): ColorScheme {
  if (strong) return 'contrast';
  return scheme === 'dark' ? 'dark' : 'light';
}

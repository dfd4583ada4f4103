import { Button, Menu, Popover } from '@mantine/core';
import { IconLogin, IconLogout, IconUser } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { SignInPanel, useSignIn } from '@/features/sign-in';

/** Menu for signing in and out. */
export function SignInMenu() {
  const { t } = useTranslation();
  const site = useSite();
  const signIn = useSignIn();
  const { open, setOpen } = signIn;
  if (!site) return null;
  if (site.signedIn) {
    return (
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="subtle" size="xs" leftSection={<IconUser size={16} aria-hidden />} data-testid="person">
            {t('person.signedIn')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconLogout size={14} aria-hidden />}
            onClick={() => void signIn.signOut()}
            data-testid="sign-out"
          >
            {t('person.signOut')}
          </Menu.Item>
          {site.site.kind === 'practice' && (
            <Menu.Item
              leftSection={<IconLogin size={14} aria-hidden />}
              onClick={() => void signIn.signOut().then(() => setOpen(true))}
              data-testid="sign-in-try"
            >
              {t('person.trySignIn')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    );
  }
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={400} trapFocus withinPortal shadow="md">
      <Popover.Target>
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconUser size={16} aria-hidden />}
          onClick={() => setOpen(!open)}
          data-testid="person"
        >
          {t('person.signIn')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('person.signIn')}>
        <SignInPanel />
      </Popover.Dropdown>
    </Popover>
  );
}

import { Button, Group, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type Question, useGuardQuestion } from '@/base/guard';
import { Dialog } from '@/components/page/Dialog';
import styles from './guard.module.css';

/** Asks for the name of a production site before a write. */
export function GuardDialog() {
  const question = useGuardQuestion();
  return question && <SiteNameForm key={question.site} question={question} />;
}

function SiteNameForm({ question }: { question: Question }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const { site, what, answer } = question;
  const right = typed.trim() === site;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (right) answer(site);
  };
  return (
    <Dialog title={t('guard.title', { site })} close={() => answer(null)} wide>
      <form className={styles.form} onSubmit={submit} data-testid="guard">
        <p>{t('guard.explain')}</p>
        <TextInput
          label={t('guard.type', { site })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          data-testid="guard-name"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => answer(null)} data-testid="guard-cancel">
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" disabled={!right} data-testid="guard-confirm">
            {what ?? t('guard.write', { site })}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

import { Button, Menu } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { QuerySession } from '../common/useQuerySession';

/** Runs the query or one of its operations, and stops a running one. */
export function RunButton({ session: { run, stop, running, operations } }: { session: QuerySession }) {
  const { t } = useTranslation();
  if (running) {
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={stop} data-testid="graphql-stop">
        {t('graphql.stop')}
      </Button>
    );
  }
  const face = { leftSection: <IconPlayerPlay size={16} aria-hidden />, title: t('graphql.runKeys'), 'data-testid': 'graphql-run' };
  if (operations.length < 2) {
    return (
      <Button {...face} onClick={() => run()}>
        {t('graphql.run')}
      </Button>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button {...face}>{t('graphql.runWhich')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {operations.map((name) => (
          <Menu.Item key={name} onClick={() => run(name)} data-testid={`graphql-run-${name}`}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import { Button, Menu } from '@mantine/core';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** Runs what stands in the editor, which one where there are several, and stops what is under way. */
export function RunButton() {
  const { t } = useTranslation();
  const { run, stop, setOperationName } = useGraphiQLActions();
  const running = useGraphiQL((state) => state.isFetching);
  const operations = useGraphiQL((state) => state.operations);
  const names = (operations ?? []).map((operation) => operation.name?.value).filter((name) => name !== undefined);
  if (running) {
    return (
      <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={stop} data-testid="graphql-stop">
        {t('graphql.stop')}
      </Button>
    );
  }
  const face = { leftSection: <IconPlayerPlay size={16} aria-hidden />, title: t('graphql.runKeys'), 'data-testid': 'graphql-run' };
  if (names.length < 2) {
    return (
      <Button {...face} onClick={run}>
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
        {names.map((name) => (
          <Menu.Item
            key={name}
            onClick={() => {
              setOperationName(name);
              run();
            }}
            data-testid={`graphql-run-${name}`}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

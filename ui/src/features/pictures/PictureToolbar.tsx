import { ActionIcon, Button, Group, Select, Tooltip } from '@mantine/core';
import { IconArrowsMaximize, IconChartBar, IconClock, IconPhotoDown, IconPrinter, IconTable, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { FixedWidthLabel } from '@/components/controls/FixedWidthLabel';
import type { Operation, Picture } from '@/ipc/bindings';
import styles from './pictures.module.css';

type Props = {
  operation: Operation;
  picture: Picture;
  choose: (id: string) => void;
  grouping: number;
  chooseGrouping: (by: number) => void;
  showsTable: boolean;
  toggleTable: () => void;
  runAction: (act: 'zoomIn' | 'zoomOut' | 'all' | 'now' | 'save' | 'print') => void;
  hasTimeAxis: boolean;
  children: ReactNode;
};

/** Selects the picture and its grouping. Also has buttons to zoom, export and print it. */
export function PictureToolbar({ operation, picture, choose, grouping, chooseGrouping, showsTable, toggleTable, runAction, hasTimeAxis, children }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { draw } = picture;
  const groupings = 'by' in draw ? draw.by : [];
  const button = (key: Parameters<Props['runAction']>[0], icon: ReactNode) => (
    <Tooltip label={t(`picture.act.${key}`)}>
      <ActionIcon variant="subtle" color="petrol" disabled={showsTable} onClick={() => runAction(key)} aria-label={t(`picture.act.${key}`)} data-testid={`picture-${key}`}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
  return (
    <div className={styles.tools}>
      {operation.pictures.length > 1 && (
        <Select
          aria-label={t('picture.which')}
          data={operation.pictures.map((one) => ({ value: one.id, label: name(one) }))}
          value={picture.id}
          onChange={(id) => id && choose(id)}
          allowDeselect={false}
          w={190}
          size="xs"
          data-testid="picture-which"
        />
      )}
      {groupings.length > 1 && (
        <Select
          aria-label={t('picture.by')}
          data={groupings.map((one, at) => ({ value: String(at), label: name(one) }))}
          value={String(grouping)}
          onChange={(at) => at && chooseGrouping(Number(at))}
          allowDeselect={false}
          w={150}
          size="xs"
          data-testid="picture-by"
        />
      )}
      {children}
      <Group gap={2} wrap="nowrap">
        {hasTimeAxis && button('zoomOut', <IconZoomOut size={16} aria-hidden />)}
        {hasTimeAxis && button('zoomIn', <IconZoomIn size={16} aria-hidden />)}
        {hasTimeAxis && button('now', <IconClock size={16} aria-hidden />)}
        {hasTimeAxis && button('all', <IconArrowsMaximize size={16} aria-hidden />)}
        {button('save', <IconPhotoDown size={16} aria-hidden />)}
        {button('print', <IconPrinter size={16} aria-hidden />)}
        <Button
          size="compact-sm"
          variant="default"
          onClick={toggleTable}
          leftSection={showsTable ? <IconChartBar size={14} aria-hidden /> : <IconTable size={14} aria-hidden />}
          data-testid="picture-numbers"
        >
          <FixedWidthLabel label={t(showsTable ? 'picture.asPicture' : 'picture.asTable')} other={t(showsTable ? 'picture.asTable' : 'picture.asPicture')} />
        </Button>
      </Group>
    </div>
  );
}

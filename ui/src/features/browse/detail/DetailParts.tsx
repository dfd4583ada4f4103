import { Tooltip } from '@mantine/core';
import { IconLock, IconShieldLock } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type Row, isCode, toRows } from '@/base/values/cells';
import { PartsTable, alignmentClass, innerCell } from '@/components/values/PartsTable';
import type { Field, Value as JsonValue } from '@/ipc/bindings';
import { DetailValue } from './DetailValue';
import { type Cuts, type Meaning, appendPointer, propertiesOf } from './rowDetail';
import styles from './rowDetail.module.css';

type Props = { field: Field; value: JsonValue | undefined; path: string; cuts: Cuts; meaning: Meaning };

/** A nested list as a small table, without empty columns. */
export function DetailParts({ field, value, path, cuts, meaning }: Props) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const label = name(field) || field.name;
  const list = Array.isArray(value) ? value : [];
  // Parts have no key, so their index in the list is used.
  const rows = toRows(list).map((part, place) => ({ part, place: String(place) }));
  const of = cuts.of.get(path) ?? rows.length;
  return (
    <div data-part={path}>
      <h2 className={styles.partTitle}>
        {label} <span className="muted number">{number(of)}</span>
      </h2>
      {rows.length === 0 ? (
        <p className="muted small">{t('browse.none')}</p>
      ) : (
        <PartRows field={field} label={label} rows={rows} path={path} cuts={cuts} meaning={meaning} />
      )}
      {of > rows.length && <p className="muted small">{t('detail.partsOf', { shown: number(rows.length), of: number(of) })}</p>}
    </div>
  );
}

type PropertyMarksProps = { code: JsonValue | undefined; locked: boolean; reserved: string };

/** Marks next to a property's key: locked, and reserved for the service. */
function PropertyMarks({ code, locked, reserved }: PropertyMarksProps) {
  const { t } = useTranslation();
  const isReserved = reserved !== '' && typeof code === 'string' && code.startsWith(reserved);
  return (
    <>
      {locked && (
        <Tooltip label={t('detail.locked')}>
          <IconLock size={13} className={styles.mark} role="img" aria-label={t('detail.locked')} data-testid="property-locked" />
        </Tooltip>
      )}
      {isReserved && (
        <Tooltip label={t('detail.reserved')}>
          <IconShieldLock size={13} className={styles.mark} role="img" aria-label={t('detail.reserved')} data-testid="property-reserved" />
        </Tooltip>
      )}
    </>
  );
}

type RowsProps = { field: Field; label: string; rows: { part: Row; place: string }[]; path: string; cuts: Cuts; meaning: Meaning };

function PartRows({ field, label, rows, path, cuts, meaning }: RowsProps) {
  const properties = propertiesOf(field, meaning);
  // The lock member is shown as a mark next to the property's key.
  const filled = field.fields.filter((inner) => inner.name !== properties?.lock).filter((inner) => rows.some(({ part }) => !isEmpty(part[inner.name])));
  const plain = filled.filter(({ kind }) => kind !== 'list');
  const lists = filled.filter(({ kind }) => kind === 'list');
  return (
    <PartsTable label={label} fields={plain}>
      {rows.map(({ part, place }) => (
        <Fragment key={place}>
          <tr>
            {plain.map((inner) => (
              <td key={inner.name} className={alignmentClass(inner) ?? (isCode(inner, []) ? 'mono' : undefined)}>
                <DetailValue field={inner} value={part[inner.name]} path={appendPointer(appendPointer(path, place), inner.name)} cuts={cuts} meaning={meaning} />
                {inner.name === properties?.key && <PropertyMarks code={part[inner.name]} locked={part[properties.lock] === true} reserved={meaning.reserved} />}
              </td>
            ))}
          </tr>
          {lists
            .filter((inner) => !isEmpty(part[inner.name]))
            .map((inner) => (
              <tr key={inner.name}>
                <td colSpan={plain.length} className={`${innerCell} ${styles.inner}`}>
                  <DetailParts field={inner} value={part[inner.name]} path={appendPointer(appendPointer(path, place), inner.name)} cuts={cuts} meaning={meaning} />
                </td>
              </tr>
            ))}
        </Fragment>
      ))}
    </PartsTable>
  );
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { OperationDifference } from '@/ipc/bindings';
import { ChangeCounts } from './ChangeCounts';
import { Differences } from './Differences';
import styles from './common/contract.module.css';

/** An operation that Takt didn't know, or one of the contract of before that the document no longer has. */
export function AddedRow({ difference }: { difference: OperationDifference }) {
  const { t } = useTranslation();
  const [unfolded, setUnfolded] = useState(false);
  const path = (difference.kind === 'gone' ? 'before' : 'after') as 'before' | 'after';
  const call = ['method', 'path'].map((part) => difference.parts.find((one) => one.part === part)?.[path]).join(' ');
  return (
    <>
      <tr data-testid={`added-${difference.id}`}>
        <th scope="row">{difference.id}</th>
        <td>
          <code>{call}</code>
        </td>
        <td>{t(difference.kind === 'gone' ? 'contract.goneOperation' : 'contract.newOperation')}</td>
        <td>
          <ChangeCounts difference={difference} unfolded={unfolded} toggle={() => setUnfolded(!unfolded)} id={difference.id} />
        </td>
      </tr>
      {unfolded && (
        <tr>
          <td colSpan={4} className={styles.unfolded}>
            <Differences difference={difference} operation={undefined} />
          </td>
        </tr>
      )}
    </>
  );
}

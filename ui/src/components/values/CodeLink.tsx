import { Anchor } from '@mantine/core';

import { type Place, useNavigation } from '@/base/navigation';

/** A value with a link to the item that it names. */
export function CodeLink({ text, place }: { text: string; place: Place }) {
  const { go } = useNavigation();
  return (
    <Anchor component="button" type="button" fz="inherit" ff="inherit" ta="left" onClick={() => go(place)} data-testid="code-link">
      {text}
    </Anchor>
  );
}

import { expect, test } from 'vitest';

import { splitDuration, formatsFor } from './formats';

test('durations say what is worth reading', () => {
  expect(splitDuration(3900)).toMatchObject({ key: 'hours', h: '1', min: '05' });
  expect(splitDuration(750)).toMatchObject({ key: 'minutes', min: '12', s: '30' });
  expect(splitDuration(4.4)).toMatchObject({ key: 'seconds', s: '4' });
  expect(splitDuration(90_000)).toMatchObject({ key: 'hours', h: '25', min: '00' });
  expect(splitDuration(-60)).toMatchObject({ key: 'minutes', sign: '−' });
});

test("a service's times are never shifted by this computer's time zone", () => {
  const zone = process.env.TZ;
  try {
    for (const here of ['Pacific/Auckland', 'America/Los_Angeles', 'UTC']) {
      process.env.TZ = here;
      const { serviceTime } = formatsFor('de');
      expect(serviceTime('2026-11-21T23:30:00')).toBe('21.11.2026 23:30');
      expect(serviceTime('2026-11-21T00:10:05.1234567+01:00')).toBe('21.11.2026 00:10:05 +01:00');
      expect(serviceTime('2026-11-21T08:00:00Z')).toBe('21.11.2026 08:00 UTC');
      expect(serviceTime('2026-11-21')).toBe('21.11.2026');
    }
  } finally {
    process.env.TZ = zone;
  }
});

test('what is no time stays as it was written', () => {
  const { serviceTime } = formatsFor('en');
  expect(serviceTime('tomorrow')).toBe('tomorrow');
  expect(serviceTime('2026-13-45T00:00')).toBe('2026-13-45T00:00');
});

test('numbers follow the language', () => {
  expect(formatsFor('de').number(1234567)).toBe('1.234.567');
  expect(formatsFor('en').decimal(13.75)).toBe('13.75');
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { hashPassword, isPassword } from './password-hash.js';
import { commonPasswords, normalised, passwordFault } from './password-rules.js';

const ada = { name: 'Ada Lovelace', email: 'ada.king@operator.example' };

describe('a password', () => {
  let common: ReadonlySet<string>;
  beforeAll(async () => {
    common = await commonPasswords();
  });

  it.each([
    'quiet harbour lamp',
    'correct horse battery staple',
    'x7!pQz90-#mL',
    'aaaaaaaaaaaab7',
    'ünïcödé-wörter',
    'lovelace met babbage in 1833',
    '🦊🌧🚲😀🍋🎻🧦🐌🌵🪁🥁🧊',
    'x'.repeat(64) + 'y'.repeat(64),
  ])('%j is accepted', (password) => {
    expect(passwordFault(password, ada, common)).toBeNull();
  });

  it.each([
    ['', 'at least 12'],
    ['quiet lamps', 'at least 12'],
    ['😀😁😂🤣😃😄', 'at least 12'],
    [`${'x'.repeat(64)}${'y'.repeat(65)}`, 'at most 128'],
    ['quiet\0harbour lamp', 'printable'],
    ['123456789012', 'too common'],
    ['1234567890123456', 'too common'],
    ['password1234', 'too common'],
    ['PASSWORD1234', 'too common'],
    ['!Password123', 'too common'],
    ['passwordpassword', 'too common'],
    ['qwertyuiop12', 'too common'],
    ['aaaaaaaaaaaa', 'too common'],
    ['abababababab', 'too common'],
    ['abcdefghijkl', 'too common'],
    ['zyxwvutsrqpo', 'too common'],
    ['1q2w3e4r5t6y', 'too common'],
    ['AdaLovelace1815', 'your name'],
    ['lovelace-ada!', 'your name'],
    ['ada.king@operator.example', 'your name'],
    ['King@Operator', 'your name'],
    ['098765432109', 'too common'],
    ['ProductAvailability', 'your name'],
    ['availability-service-1', 'your name'],
  ])('%j is refused', (password, why) => {
    expect(passwordFault(password, ada, common)).toContain(why);
  });

  it('is normalised, so that it is the same on every keyboard', async () => {
    expect(normalised('cafe\u0301')).toBe(normalised('caf\u00e9'));
    const hash = await hashPassword('caf\u00e9');
    expect(await isPassword(hash, 'cafe\u0301')).toBe(true);
    expect(await isPassword(hash, 'cafe')).toBe(false);
  });
});

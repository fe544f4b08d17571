import { expect, it } from '@jest/globals';
import { Form } from './form.js';

it('refuses two answers to one question, but not the ticked boxes of a list', () => {
  const form = Form.parse('note=a&note=b&order=1&order=2&days=3');
  expect(() => form.text('note')).toThrow('The field note is there twice. Send it once.');
  expect(() => form.secret('note')).toThrow('twice');
  expect(() => form.number('note')).toThrow('twice');
  expect([form.all('order'), form.number('days'), form.text('none')]).toEqual([['1', '2'], 3, '']);
});

it('reads no form with too many fields', () => {
  expect(Form.parse('a=1&'.repeat(19_999)).all('a')).toHaveLength(19_999);
  expect(() => Form.parse('a&'.repeat(250_000))).toThrow('The form has more than 20,000 fields.');
});

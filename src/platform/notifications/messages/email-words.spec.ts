import { describe, expect, it } from '@jest/globals';
import type { EmailPart } from './email.js';
import { type EmailFacts, writeWords } from './email-words.js';

const write = (words: string, facts: EmailFacts = {}) => writeWords(words, facts, { us: 'sales' });
const parts = (words: string, facts: EmailFacts = {}): readonly EmailPart[] =>
  write(`# Subject\n\n${words}\n`, facts).parts;

describe('the words of an email', () => {
  it('start with its subject', () => {
    expect(write('# New {what}: {count}\n', { what: 'order', count: '3' })).toEqual({
      subject: 'New order: 3',
      parts: [],
    });
  });

  it('join the sentences of a paragraph, without those that lack a fact', () => {
    const words = 'From {name}.\nCall by {by}.\n{unless by} Call soon.\n\nTo {us}.';
    expect(parts(words, { name: '{by}', by: null })).toEqual([
      { paragraph: 'From {by}. Call soon.' },
      { paragraph: 'To sales.' },
    ]);
    expect(parts(words, { name: 'Ada', by: 'ten' })[0]).toEqual({
      paragraph: 'From Ada. Call by ten.',
    });
  });

  it('leave out a part of which no line is left', () => {
    expect(parts('{a}\n\n- A: {a}\n\n## {a}\n\n- {none}', { a: null, none: [] })).toEqual([]);
  });

  it.each([
    [true, true, 'Both.'],
    [true, false, 'First.'],
    [false, true, 'None.'],
  ])('choose a line by conditions: %s, %s', (a, b, paragraph) => {
    const words = '{if a} {if b} Both.\n{if a} {unless b} First.\n{unless a} None.';
    expect(parts(words, { a, b })).toEqual([{ paragraph }]);
  });

  it('make tables of rows: words, values, links, and rows that are a fact', () => {
    const facts = { a: '1', phone: { phone: '020' }, rows: [['B', '2'] as const], absent: null };
    const words = '- A: {a} of 2\n- Phone: {phone}\n- {rows}\n- C: {absent}\n- Page: <{us}/{a}>';
    expect(parts(words, facts)).toEqual([
      {
        facts: [
          ['A', '1 of 2'],
          ['Phone', { phone: '020' }],
          ['B', '2'],
          ['Page', { link: 'sales/1' }],
        ],
      },
    ]);
  });

  it('make lists with a heading, for each of several things', () => {
    const words = '{for each groups}\n\n## {name} of {us}\n\n- {items}';
    const groups = [
      { name: 'Late', items: ['ORD-1'] },
      { name: 'Due', items: ['ORD-2'] },
    ];
    expect(parts(words, { groups })).toEqual([
      { heading: 'Late of sales', items: ['ORD-1'] },
      { heading: 'Due of sales', items: ['ORD-2'] },
    ]);
  });

  it.each<[string, EmailFacts, string]>([
    ['{name}', {}, 'name name, which is not one of its facts'],
    ['{if name} Hello.', {}, 'name name, which is not one of its facts'],
    ['Hello.', { name: 'Ada', age: '36' }, 'do not name name, age'],
    ['{for each all}\n\n- A: {a}', { all: [{ a: '1', b: '2' }] }, 'do not name b'],
    ['{for each all}\n\n- A: {a}', { all: [{}] }, 'name a, which is not one of its facts'],
    ['Call {phone}.', { phone: { phone: '020' } }, 'phone is no text'],
  ])('are refused where they and the facts differ: %j, %j', (words, facts, message) => {
    expect(() => parts(words, facts)).toThrow(message);
  });
});

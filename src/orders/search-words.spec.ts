import { describe, expect, it } from '@jest/globals';
import { codeWord, phoneWord, wordsOf } from './search-words.js';

describe('the words of a text', () => {
  it.each([
    ['Zoë MÜLLER, zoe', ['zoe', 'muller']],
    ['ada@example.com', ['ada', 'example', 'com']],
    ["it's 10G", ['it', 's', '10g']],
    ["'; DROP TABLE orders --", ['drop', 'table', 'orders']],
    ['  ', []],
  ])('%j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe('a phone number as a word', () => {
  it.each([
    ['+44 20 7946 0958', '2079460958'],
    ['0044 20 7946 0958', '2079460958'],
    ['(020) 7946-0958', '2079460958'],
    ['12345', null],
    ['PO 20 7946 0958', null],
  ])('%j', (text, word) => {
    expect(phoneWord(text)).toBe(word);
  });
});

it('reads a code without punctuation', () => {
  expect(codeWord('PO-4711/b')).toBe('po4711b');
});

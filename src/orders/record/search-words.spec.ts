import { describe, expect, it } from '@jest/globals';
import { codeWord, phoneEndings, phoneKey, phoneWord, wordsOf } from './search-words.js';

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

describe('a search for a phone number', () => {
  it.each([
    ['01632 960896', ['1632960896', '01632960896']],
    ['960896', ['960896']],
    ['44 08 96', ['440896']],
    ['012345', ['012345']],
    ['96089', []],
    ['EC2A 2BS', []],
  ])('%j means the numbers that end in %j', (text, endings) => {
    expect(phoneEndings(text)).toEqual(endings);
  });

  it('finds a number by a word that starts with its last digits', () => {
    expect(phoneKey('1632960896')).toBe('#6980692361');
  });
});

it('reads a code without punctuation', () => {
  expect(codeWord('PO-4711/b')).toBe('po4711b');
});

import { expect, it } from '@jest/globals';
import { auditActions } from '../platform/audit/audit-actions.js';
import { moveRules } from '../orders/moves/move-rules.js';
import { actionChoices, detailValue, shownDetails } from './audit-words.js';

it('offers every action once, each in separate words', () => {
  const names = actionChoices.map(({ name }) => name);
  expect(actionChoices.map(({ value }) => value).sort()).toEqual([...auditActions].sort());
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Z][a-z, -]+$/);
  const moves = Object.values(moveRules).map(({ action }) => action);
  expect(auditActions).toEqual(expect.arrayContaining(moves));
});

it.each([
  ['amount', '1240.50 GBP', '£1,240.50'],
  ['amount', 'as agreed', 'as agreed'],
  ['source', 'telephone', 'By phone'],
  ['source', 'in advance', 'Agreed in advance'],
  ['category', 'expedite', 'Expedited delivery'],
  ['undone', 'offered', 'Send offers'],
  ['action', 'lost', 'Closed as lost'],
  ['note', 'telephone', 'telephone'],
])('says %s: %s as %s', (name, value, words) => {
  expect(detailValue(name, value)).toBe(words);
});

it('leaves out what says nothing: how long a thing took, and a state that stayed', () => {
  const labels = (details: object) => shownDetails({ ...details }).map(([, label]) => label);
  expect(labels({ seconds: 7.5, from: 'in_progress', to: 'in_progress', note: 'Hm.' })).toEqual([
    'Note',
  ]);
  expect(labels({ from: 'waiting', to: 'in_progress' })).toEqual(['From', 'To']);
  expect(labels({ to: 'agent' })).toEqual(['To']);
});

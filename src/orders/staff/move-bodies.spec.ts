import { describe, expect, it } from '@jest/globals';
import { validOrFaults } from '../../platform/http/valid.js';
import { moveRules } from '../moves/move-rules.js';
import { moveBodies, moveContents, orderMoves } from './move-bodies.js';

describe('the body of a move', () => {
  it('is there for each move of the table with a route', () => {
    const all = Object.entries(moveRules).flatMap(([name, rule]) => ('path' in rule ? name : []));
    expect(Object.keys(moveBodies).sort()).toEqual(all.sort());
    expect(Object.keys(orderMoves.types).sort()).toEqual([...all, 'amend', 'note', 'undo'].sort());
  });

  const ownerId = '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d91';

  it.each([
    ['handOver', { ownerId, note: ' \n' }, '/note', 'Enter a handover note.'],
    ['release', { reason: ' ' }, '/reason', 'Enter a reason.'],
    ['reopen', { reason: '\t' }, '/reason', 'Enter a reason.'],
  ] as const)('%s has no blank text: %j', (name, content, pointer, detail) => {
    const faults = validOrFaults<object>(moveContents[name], content);
    expect(faults).toEqual([{ pointer, code: 'not-allowed', detail }]);
  });

  it('reports an empty text as too short', () => {
    const faults = validOrFaults<object>(moveContents.release, { reason: '' });
    expect(faults).toMatchObject([{ pointer: '/reason', code: 'too-short' }]);
  });
});

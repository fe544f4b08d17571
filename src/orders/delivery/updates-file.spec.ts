import { describe, expect, it } from '@jest/globals';
import { merged } from './delivery-rules.js';
import { UpdatesFile } from './updates-file.js';

const header = 'order,milestone,planned,done,committed,waiting_for,service_id,note';
const fileOf = (...rows: string[]) => UpdatesFile.read([header, ...rows].join('\r\n'));

describe('a file of delivery updates', () => {
  it('has the changes of each order, in any columns', async () => {
    const file = await UpdatesFile.read(
      '\uFEFFdone,order,milestone\n2026-03-02,ord-7f3k9q,surveyed\nnone,ORD-7F3K9Q,built\n',
    );
    expect(file.faults.total).toBe(0);
    expect(file.rows.get('ORD-7F3K9Q')!.map(({ change }) => change)).toEqual([
      { milestones: [{ code: 'surveyed', doneOn: '2026-03-02' }] },
      { milestones: [{ code: 'built', doneOn: null }] },
    ]);
  });

  it('needs the column of the order, and no other', async () => {
    const without = await UpdatesFile.read('milestone,done\nbuilt,2026-03-02\n');
    expect(without.faults.shown).toMatchObject([{ line: 1, column: 'order' }]);
    expect((await UpdatesFile.read('order\nORD-7F3K9Q\n')).faults.total).toBe(0);
  });

  it('lets others work while it reads a long file', async () => {
    const turns: string[] = [];
    setImmediate(() => turns.push('another'));
    await fileOf(...Array.from({ length: 5_000 }, () => 'ORD-7F3K9Q,,,,,,,Agreed.'));
    turns.push('read');
    expect(turns).toEqual(['another', 'read']);
  });

  it('reads no row of a file with too many, and none after a hundred faults', async () => {
    const fullOf = (row: string, number: number) => fileOf(...Array<string>(number).fill(row));
    const most = await fullOf('ORD-7F3K9Q,,,,,,,a', 20_000);
    expect([most.count, most.faults.total]).toEqual([20_000, 0]);
    const more = await fullOf('ORD-7F3K9Q,,,,,,,a', 20_001);
    expect([more.count, more.rows.size, more.faults]).toMatchObject([
      ...[0, 0],
      { total: 1, shown: [{ line: 20_002, reason: 'The file has more than 20,000 rows.' }] },
    ]);
    const [few, many] = [await fullOf('PO-1,,,,,,,a', 2_000), await fullOf('PO-1,,,,,,,a', 19_000)];
    expect(few.faults.total).toBeGreaterThanOrEqual(100);
    expect(many.faults.total).toBe(few.faults.total);
  });

  it.each([
    ['milestone', 'ORD-7F3K9Q,biult,,2026-03-02,,,,', 'Did you mean "built"?'],
    ['planned', 'ORD-7F3K9Q,built,3 March,,,,,', 'Or write "none".'],
    [
      'waiting_for',
      'ORD-7F3K9Q,,,,,client:,,',
      'such as "client: name a site contact"; or "none".',
    ],
  ])('says what to write in place of a faulty %s', async (column, row, suggestion) => {
    const { shown } = (await fileOf(row)).faults;
    expect(shown).toMatchObject([
      { line: 2, column, suggestion: expect.stringContaining(suggestion) },
    ]);
  });

  it('says dates, waits, service ids and notes', async () => {
    const file = await fileOf(
      'ORD-7F3K9Q,,,,2026-12-04,"client: name a contact, please",CCT-1,Agreed.',
      'ORD-7F3K9Q,installed,2026-12-02,,,none,,',
    );
    expect(file.faults.total).toBe(0);
    expect(file.rows.get('ORD-7F3K9Q')!.map(({ change }) => change)).toEqual([
      {
        committedDate: '2026-12-04',
        waitingFor: { party: 'client', what: 'name a contact, please' },
        serviceId: 'CCT-1',
        note: 'Agreed.',
      },
      { milestones: [{ code: 'installed', plannedFor: '2026-12-02' }], waitingFor: null },
    ]);
  });

  it('leaves what earlier rows of the order say', async () => {
    const file = await fileOf(
      'ORD-7F3K9Q,built,2026-12-01,,2026-12-04,client: wait,CCT-1,Agreed.',
      'ORD-7F3K9Q,built,,2026-12-02,,,,',
      'ORD-7F3K9Q,,,,,,,Done.',
    );
    expect(merged(file.rows.get('ORD-7F3K9Q')!.map(({ change }) => change))).toEqual({
      milestones: [{ code: 'built', plannedFor: '2026-12-01', doneOn: '2026-12-02' }],
      committedDate: '2026-12-04',
      waitingFor: { party: 'client', what: 'wait' },
      serviceId: 'CCT-1',
      note: 'Done.',
    });
  });

  it.each([
    ['order', 'PO-1,built,,2026-03-02,,,,', 'This is no reference of an order.'],
    ['milestone', 'ORD-7F3K9Q,biult,,2026-03-02,,,,', 'Choose a milestone: surveyed, '],
    ['milestone', 'ORD-7F3K9Q,,,2026-03-02,,,,', 'Choose a milestone: surveyed, '],
    ['done', 'ORD-7F3K9Q,built,,,,,,', 'The row has a milestone, but no day.'],
    ['planned', 'ORD-7F3K9Q,built,3 March,,,,,', 'Enter a day'],
    ['done', 'ORD-7F3K9Q,built,,2026-02-30,,,,', 'Enter a day'],
    ['committed', 'ORD-7F3K9Q,,,,none,,,', 'Enter a day'],
    ['waiting_for', 'ORD-7F3K9Q,,,,,client,,', 'Enter what they have to do.'],
    ['waiting_for', 'ORD-7F3K9Q,,,,,name a contact,,', 'Must be one of client, '],
    ['waiting_for', `ORD-7F3K9Q,,,,,client: ${'x'.repeat(201)},,`, 'Use at most 200 characters'],
    ['waiting_for', 'ORD-7F3K9Q,,,,,supplier: dig,,', 'Must be one of client, '],
    ['service_id', `ORD-7F3K9Q,,,,,,${'x'.repeat(65)},`, 'Use at most 64 characters'],
    ['note', `ORD-7F3K9Q,,,,,,,${'x'.repeat(1_001)}`, 'Use at most 1,000 characters'],
    ['note', 'ORD-7F3K9Q,,,,,,,two\u0007lines', 'Use one line'],
  ])('names line and column of a fault: %s', async (column, row, reason) => {
    const { shown, total } = (await fileOf('ORD-7F3K9Q,built,,2026-03-02,,,,', row)).faults;
    expect(total).toBe(1);
    expect(shown[0]).toMatchObject({ line: 3, column, reason: expect.stringContaining(reason) });
  });

  it('takes the longest texts', async () => {
    const [what, id, note] = [200, 64, 1_000].map((length) => 'x'.repeat(length));
    const file = await fileOf(
      `ORD-7F3K9Q,,,,,thirdParty: ${what},${id},${note}`,
      'ORD-2M4N6P,,,,,,,',
    );
    expect([file.faults.total, file.count, file.rows.size]).toEqual([0, 2, 2]);
    expect(file.rows.get('ORD-7F3K9Q')![0]!.change).toEqual({
      waitingFor: { party: 'thirdParty', what },
      serviceId: id,
      note,
    });
    expect(file.rows.get('ORD-2M4N6P')).toEqual([{ line: 3, change: {} }]);
  });

  it('names all rows of an order that has no delivery', async () => {
    const file = await fileOf('ORD-7F3K9Q,,,,,,,a', 'ORD-2M4N6P,,,,,,,b', 'ORD-7F3K9Q,,,,,,,c');
    file.refuseOrder('ORD-7F3K9Q', 'There is no such order.');
    expect(file.faults.shown).toMatchObject([{ line: 2, column: 'order' }, { line: 4 }]);
  });

  it.each([
    ['committedDate', 'committed', 'ORD-7F3K9Q,,,,2026-12-04,,,'],
    ['waitingFor', 'waiting_for', 'ORD-7F3K9Q,,,,,client: x,,'],
    ['serviceId', 'service_id', 'ORD-7F3K9Q,,,,,,C1,'],
  ] as const)('names the last row that says %s', async (field, column, row) => {
    const file = await fileOf(row, row, 'ORD-7F3K9Q,,,,,,,a');
    file.refuseChange('ORD-7F3K9Q', { field, detail: 'No.' });
    expect(file.faults.shown).toMatchObject([{ line: 3, column }]);
  });

  it('names the row of what the rules refuse', async () => {
    const file = await fileOf(
      'ORD-7F3K9Q,built,,2026-03-02,,,,',
      'ORD-7F3K9Q,live,,2099-01-01,,,,',
    );
    const refusal = { field: 'milestones', code: 'live', detail: 'Too late.' } as const;
    file.refuseChange('ORD-7F3K9Q', refusal);
    expect(file.faults.shown).toMatchObject([{ line: 3, column: 'done', value: '2099-01-01' }]);
  });

  it('names the last row in which the refused milestone is done', async () => {
    const file = await fileOf(
      'ORD-7F3K9Q,live,,2026-03-01,,,,',
      'ORD-7F3K9Q,live,,2026-03-02,,,,',
      'ORD-7F3K9Q,live,2026-04-01,,,,,',
      'ORD-7F3K9Q,built,,2026-03-02,,,,',
      'ORD-7F3K9Q,,,,,,,Agreed.',
    );
    const refusal = { field: 'milestones', code: 'live', detail: 'Too early.' } as const;
    file.refuseChange('ORD-7F3K9Q', refusal);
    expect(file.faults.shown).toMatchObject([
      { line: 3, column: 'done', value: '2026-03-02', reason: 'Too early.' },
    ]);
  });
});

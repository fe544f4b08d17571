import { describe, expect, it } from '@jest/globals';
import { IsBoolean, IsIn, IsNumber, IsOptional, Min } from 'class-validator';
import { IsOptionalInstant, IsOptionalText, IsText } from '../../http/field-rules.js';
import { NotFound, Problem, ValidationFailed } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';
import { Form } from './form.js';
import { type InputForm, inputForm, readQuery, type Refusal, send } from './input-form.js';

const amount = { message: 'Enter an amount from 0.' };

class Parcel {
  @IsText(9)
  name: string;

  @IsIn(['air', 'sea'])
  by: 'air' | 'sea';

  @IsNumber({}, amount)
  @Min(0, amount)
  price: number;

  @IsOptional()
  @IsBoolean()
  insured?: boolean;

  @IsOptionalInstant()
  dueAt?: Date;

  @IsOptionalText(20, 'lines')
  note?: string;

  @IsOptional()
  @IsBoolean()
  fragile?: boolean;

  @IsOptional()
  @IsNumber({}, { message: 'Must be a whole number.' })
  version?: number;
}

const form = inputForm(Parcel, {
  by: { label: 'By', names: { air: 'Air', sea: 'Sea' }, missing: 'Choose the way.' },
  name: { label: 'Name', missing: 'Enter the name.', upper: true },
  price: { label: 'Price', missing: 'Enter a price.' },
  insured: { label: 'Insured' },
  dueAt: { label: 'Due' },
  note: { label: 'Note', long: true, missing: 'Never shown: the note is optional.' },
  fragile: { label: 'Fragile', names: { yes: 'Yes', no: 'No' } },
});
const right = 'by=sea&name=a1&price=1,250.50';

const sent = (query: string) => send(form, Form.parse(query), (input) => Promise.resolve(input));
const refusal = async (query: string, error?: Error) => {
  const answer = await send(form, Form.parse(query), () => Promise.reject(error!));
  const { status, refused, conflict } = answer as Refusal;
  return { status, conflict, faults: Object.fromEntries(refused.faults) };
};

describe('a form of an input', () => {
  it('draws its rules, in the order of its words', () => {
    expect(
      form.fields.map(({ name, kind, most, missing }) => [name, kind, most, missing !== undefined]),
    ).toEqual([
      ['by', 'choice', undefined, true],
      ['name', undefined, 9, true],
      ['price', undefined, undefined, true],
      ['insured', 'tick', undefined, false],
      ['dueAt', undefined, undefined, false],
      ['note', 'long', 20, false],
      ['fragile', 'choice', undefined, false],
    ]);
  });

  it.each([
    // A box without a tick is no; a choice without an answer is nothing.
    [right, { by: 'sea', name: 'A1', price: 1_250.5, insured: false }],
    [
      `${right}&fragile=no`,
      { by: 'sea', name: 'A1', price: 1_250.5, insured: false, fragile: false },
    ],
    [
      `${right}&insured=yes&dueAt=2026-07-01T10:00&note=a%0D%0Ab&version=7&other=1`,
      {
        by: 'sea',
        name: 'A1',
        price: 1_250.5,
        insured: true,
        dueAt: new Date('2026-07-01T09:00:00Z'),
        note: 'a\nb',
        version: 7,
      },
    ],
  ])('reads %s', async (query, input) => {
    expect(await sent(query)).toEqual({ result: input });
  });

  it('says what is missing or wrong at each field, and keeps what was typed', async () => {
    expect(await refusal('price=&note=')).toEqual({
      status: 422,
      conflict: undefined,
      faults: { by: 'Choose the way.', name: 'Enter the name.', price: 'Enter a price.' },
    });
    const wrong = Form.parse('by=rail&name=a%07&price=-1&dueAt=soon');
    const answer = (await send(form, wrong, () => Promise.resolve())) as Refusal;
    expect([answer.status, Object.fromEntries(answer.refused.faults)]).toEqual([
      422,
      {
        by: 'Choose an option from the list.',
        name: 'Use one line, without control characters.',
        price: 'Enter an amount from 0.',
        dueAt: 'Enter a day and a time, such as 21/11/2026, 09:30.',
      },
    ]);
    expect(answer.refused.form.text('dueAt')).toBe('soon');
  });

  it('says what is wrong with a hidden field above the form', async () => {
    expect(await refusal(`${right}&version=x`)).toEqual({
      status: 422,
      conflict: 'Must be a whole number.',
      faults: {},
    });
  });

  it.each<[string, Error, object]>([
    [
      'a fault of a field at the field',
      new ValidationFailed([{ pointer: '/dueAt', code: 'not-allowed', detail: 'Too early.' }]),
      { status: 422, faults: { dueAt: 'Too early.' } },
    ],
    [
      'a problem above the form',
      new Problem('order-moved', 'It moved.'),
      { status: 409, conflict: 'It moved.' },
    ],
    ['a refusal above the form', new Refused('Not now.'), { status: 409, conflict: 'Not now.' }],
  ])('shows %s', async (_what, error, expected) => {
    expect(await refusal(right, error)).toMatchObject(expected);
  });

  it.each([new NotFound(), new Problem('internal-error'), new TypeError('x')])(
    'leaves %s to others',
    async (error) => {
      await expect(refusal(right, error)).rejects.toBe(error);
    },
  );
});

describe('words of a form', () => {
  const faultsIn = (form: InputForm<object>, query: string) => {
    const read = readQuery(form, Form.parse(query));
    return 'refused' in read ? Object.fromEntries(read.refused.faults) : {};
  };
  const words = {
    by: { label: 'By', names: { air: 'Air', sea: 'Sea' }, any: 'Any', missing: 'Choose.' },
    name: { label: 'Name', choices: [{ value: 'A1', name: 'One' }], missing: 'Choose.' },
    price: { label: 'Price', missing: 'Enter a price.' },
    note: { label: 'Note', missing: 'Write a note.', needed: true },
  } as const;

  it('require what only this form needs', () => {
    expect(faultsIn(inputForm(Parcel, words), `${right}&note=`)).toEqual({ note: 'Write a note.' });
  });

  it('close the choices of a text, or leave them open', () => {
    const open = inputForm(Parcel, { ...words, note: { label: 'Note' } });
    const closed = inputForm(Parcel, {
      ...words,
      name: { ...words.name, wrong: 'Gone.' },
      note: { label: 'Note', wrong: 'Shorter.' },
    });
    const typed = 'by=sea&price=1&name=b2';
    expect([faultsIn(open, typed), faultsIn(closed, typed)]).toEqual([{}, { name: 'Gone.' }]);
    const long = `by=sea&price=1&name=A1&note=${'x'.repeat(21)}`;
    expect(faultsIn(closed, long)).toEqual({ note: 'Shorter.' });
  });

  it('name the choice of nothing', () => {
    const [by] = inputForm(Parcel, words).fields;
    expect(by!.choices).toEqual([
      { value: '', name: 'Any' },
      { value: 'air', name: 'Air' },
      { value: 'sea', name: 'Sea' },
    ]);
  });

  it('offer instants as chips, of which the first is chosen', () => {
    const chips = [{ value: '2026-11-23T10:00', name: 'Monday' }];
    const { fields } = inputForm(Parcel, { ...words, dueAt: { label: 'Due', chips } });
    expect(fields.at(-1)).toMatchObject({ kind: 'chips', choices: chips, first: chips[0]!.value });
  });

  it('are checked together with rules that depend on more than the input', () => {
    const fault = (name: string) => ({ pointer: `/${name}`, code: 'not-allowed', detail: 'Late.' });
    const rules = ({ dueAt }: Partial<Parcel>) => (dueAt ? [fault('dueAt'), fault('price')] : []);
    const query = 'by=sea&name=a1&price=-1&dueAt=2026-07-01T10:00';
    expect(faultsIn({ ...form, rules }, query)).toEqual({
      price: 'Enter an amount from 0.',
      dueAt: 'Late.',
    });
  });
});

/** Never called: the compiler checks it. */
export function wordsThatDoNotCompile() {
  // @ts-expect-error: the input has no such property
  inputForm(Parcel, { weight: { label: 'Weight' } });
  // @ts-expect-error: a code needs the name of each value
  inputForm(Parcel, { by: { label: 'By', names: { air: 'Air' }, missing: 'Choose.' } });
  // @ts-expect-error: a code needs names
  inputForm(Parcel, { by: { label: 'By', missing: 'Choose.' } });
  // @ts-expect-error: only a text can have several lines
  inputForm(Parcel, { price: { label: 'Price', missing: 'Enter it.', long: true } });
  // @ts-expect-error: both answers need a name
  inputForm(Parcel, { insured: { label: 'Insured', names: { yes: 'Yes' } } });
  // @ts-expect-error: a required property says what is missing
  inputForm(Parcel, { name: { label: 'Name' } });
  // @ts-expect-error: the input has no such property
  return send(form, Form.parse(''), ({ weight }) => Promise.resolve(weight));
}

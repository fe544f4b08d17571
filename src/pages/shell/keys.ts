import { orderForms } from '../order/order-forms.js';

export interface KeyGroup {
  readonly name: string;
  readonly keys: readonly (readonly [keys: string, does: string])[];
}

export const keyboard: readonly KeyGroup[] = [
  {
    name: 'Everywhere',
    keys: [
      ['?', 'Show this help'],
      ['/', 'Search'],
      ['n', 'Take the next order'],
      ['g q', 'Go to the queue'],
      ['g m', 'Go to mine'],
      ['Esc', 'Close a dialog'],
    ],
  },
  {
    name: 'In a list',
    keys: [
      ['j', 'Next row'],
      ['k', 'Row before'],
      ['Enter', 'Open the order'],
    ],
  },
  {
    name: 'For an order, on its page or on its row',
    keys: orderForms.flatMap(({ key, title }) => (key === undefined ? [] : [[key, title]])),
  },
];

import { expect } from 'chai';
import { plain } from '../../../engine/cli/show/paint.js';
import { renderRecords } from '../../../engine/cli/show/records.ts';
import { textWidth } from '../../../engine/cli/show/text-width.ts';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { decimal, flag, isoTime, text } from '../../../tables/model/attributes.ts';
import { defineEntity } from '../../../tables/model/entity.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { defineTable } from '../../../tables/model/table.ts';

const thing = defineEntity({
  name: 'THING',
  description: 'A thing',
  attributes: { id: text(), amount: decimal(), open: flag(), made: isoTime(), remark: text().optional() },
  derive: [{ set: { PK: 'THING#{id}', SK: 'THING' } }, { set: { GSI1: 'AT#{made}' } }],
});
const other = defineEntity({
  name: 'OTHER',
  description: 'Another thing',
  attributes: { name: text() },
  derive: [{ set: { PK: 'OTHER#{name}', SK: 'OTHER' } }],
});
const things = defineTable({
  ...{ name: 'things', system: 'toys', namespace: 'toys', description: 'x', hash: 'PK', range: 'SK' },
  indexes: { ByTime: { hash: 'GSI1' } },
  entities: [thing, other],
});

const made = '2026-11-18T02:08:41Z';
const item = (id: string, amount: string, more: object = {}): Item =>
  buildItem(things, thing, { id, amount, open: true, made, ...more });
const on = (columns?: number) => ({ columns, paint: plain });

describe('records on a terminal', () => {
  it('are a table: decoded, what the entity has first, keys last', () => {
    expect(renderRecords(on(), things, [item('a', '1234567.5'), item('b', '2')], 0)).to.equal(
      [
        'id  amount       open  made                 GSI1                     PK       SK',
        '--  -----------  ----  -------------------  -----------------------  -------  -----',
        'a   1,234,567.5  yes   2026-11-18 02:08:41  AT#2026-11-18T02:08:41Z  THING#a  THING',
        'b             2  yes   2026-11-18 02:08:41  AT#2026-11-18T02:08:41Z  THING#b  THING',
      ].join('\n'),
    );
  });

  it('have their attributes in one order, whatever order they were stored in', () => {
    const stored = { ...item('a', '1'), extra: { S: 'x' }, also: { S: 'y' } };
    const turned = Object.fromEntries(Object.entries(stored).toReversed());
    const names = (one: Item) =>
      renderRecords(on(), things, [one], 0)
        .split('\n')
        .map((line) => line.split(' ')[0]);
    expect(names(stored)).to.deep.equal(['id', 'amount', 'open', 'made', 'also', 'extra', 'GSI1', 'PK', 'SK']);
    expect(names(turned)).to.deep.equal(names(stored));
  });

  it('lose their keys before anything else, and numbers are never cut', () => {
    const wide = [item('a', '99.123456789012345678901234567890123456', { remark: 'long enough to be cut' }), item('b', '2')];
    const [head = '', , first = ''] = renderRecords(on(80), things, wide, 0).split('\n');
    expect(head).to.match(/^id +amount +open +made/);
    expect(head).to.not.match(/PK|GSI1/);
    expect(first).to.contain('99.123456789012345678901234567890123456');
    for (const line of renderRecords(on(60), things, wide, 0).split('\n')) expect(textWidth(line)).to.be.at.most(60);
  });

  it('stay apart: what names them is whole while other columns can go', () => {
    const longest = '99.123456789012345678901234567890123456';
    const alike = ['mkt123:order:0001', 'mkt123:order:0002'].map((id) => item(id, longest, { remark: 'a remark that is long' }));
    const shown = renderRecords(on(80), things, alike, 0);
    expect(shown).to.contain('mkt123:order:0001 ').and.to.contain('mkt123:order:0002 ').and.to.contain(longest);
    for (const line of shown.split('\n')) expect(textWidth(line)).to.be.at.most(80);
  });

  it('are a list where there is one, with all that it holds', () => {
    const remark = 'x'.repeat(100);
    const lines = renderRecords(on(60), things, [item('a', '1', { remark })], 0).split('\n');
    expect(lines.slice(0, 4)).to.deep.equal(['id      a', 'amount  1', 'open    yes', 'made    2026-11-18 02:08:41']);
    expect(lines.join('').replaceAll(/\s/g, '')).to.contain(remark);
    for (const line of lines) expect(textWidth(line)).to.be.at.most(60);
  });

  it('of several entities have a table each, under its name', () => {
    const mixed = [item('a', '1'), buildItem(things, other, { name: 'n' }), item('b', '2')];
    const shown = renderRecords(on(80), things, mixed, 0);
    expect(shown.split('\n').filter((line) => /^[A-Z]+$/.test(line))).to.deep.equal(['THING', 'OTHER']);
  });

  it('cannot direct the terminal by what they hold', () => {
    const shown = renderRecords(on(80), things, [item('a', '1', { remark: '\x1b]0;owned\x07\nsecond' })], 0);
    expect(shown)
      .to.contain('remark  \\u001b]0;owned\\u0007\\nsecond')
      .and.not.match(/[\x1b\x07]/);
  });
});

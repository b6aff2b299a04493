import { expect } from 'chai';
import fc from 'fast-check';
import { fold } from '../../../engine/cli/show/fold.js';
import { painter, paintLines, plain, wantsColour } from '../../../engine/cli/show/paint.js';
import { type Cell, type Column, renderTable } from '../../../engine/cli/show/table.ts';
import { cutText, harmless, padText, textWidth } from '../../../engine/cli/show/text-width.ts';

const on = (columns?: number) => ({ columns, paint: plain });

describe('a table', () => {
  const columns: readonly Column[] = [
    { title: 'pattern' },
    { title: 'index', rank: 2, least: 6 },
    { title: 'records', rank: 1, right: true },
    { title: 'when', rank: 3 },
  ];
  const rows = [
    ['markets.orders.byOwner', 'orders_by_owner', '12', '2026-11-18 02:08'],
    ['oms.config.allClients', 'GSI1', '1,204', '2026-11-17 23:59'],
  ];

  it('is whole where nobody looks at a width', () => {
    expect(renderTable(on(), columns, rows)).to.equal(
      [
        'pattern                 index            records  when',
        '----------------------  ---------------  -------  ----------------',
        'markets.orders.byOwner  orders_by_owner       12  2026-11-18 02:08',
        'oms.config.allClients   GSI1               1,204  2026-11-17 23:59',
      ].join('\n'),
    );
  });

  it('cuts what may be cut, then leaves out what matters least, and says so', () => {
    expect(renderTable(on(60), columns, rows)).to.equal(
      [
        'pattern                 index      records  when',
        '----------------------  ---------  -------  ----------------',
        'markets.orders.byOwner  orders_b…       12  2026-11-18 02:08',
        'oms.config.allClients   GSI1         1,204  2026-11-17 23:59',
      ].join('\n'),
    );
    expect(renderTable(on(42), columns, rows)).to.equal(
      [
        'pattern                 index      records',
        '----------------------  ---------  -------',
        'markets.orders.byOwner  orders_b…       12',
        'oms.config.allClients   GSI1         1,204',
        '(no room for when; see --json)',
      ].join('\n'),
    );
  });

  it('is never wider than the terminal, and keeps the columns that must stay', () => {
    const title = fc.stringMatching(/^[a-z]{1,12}$/);
    const column = fc.record({ title, rank: fc.nat(4), least: fc.integer({ min: 1, max: 12 }) });
    const cell: fc.Arbitrary<Cell> = fc.oneof(
      fc.string({ maxLength: 30 }).map(harmless),
      fc.nat(),
      fc.constantFrom('字字字', 'ñandú', '👍🏽'),
    );
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 7 }),
        fc.array(fc.array(cell, { maxLength: 7 }), { maxLength: 5 }),
        fc.integer({ min: 60, max: 140 }),
        (all, body, width) => {
          const lines = renderTable(on(width), all, body).split('\n');
          for (const line of lines) expect(textWidth(line)).to.be.at.most(width);
          const staying = all.filter(({ rank }) => rank === 0);
          for (const { title: name } of staying) expect(lines[0]).to.contain(name.slice(0, 5));
        },
      ),
    );
  });

  it('is not widened by its last resort', () => {
    const least = [8, 1, 1, 11, 1, 10, 1];
    const titles = ['a', 'aaaaaa', 'aaaaaa', 'aaaaaaaaaaa', 'aaaa', 'aaaaaaaaaa', 'aaaa'];
    const seven = titles.map((title, at) => ({ title, rank: 0, least: least[at] ?? 1 }));
    for (const line of renderTable(on(60), seven, [['12345678']]).split('\n')) expect(textWidth(line)).to.be.at.most(60);
  });

  it('paints cells without moving the columns', () => {
    const toned = [[{ text: 'verified', tone: 'good' as const }, 1]];
    const painted = renderTable({ columns: 80, paint: painter(true) }, ['state', 'n'], toned);
    expect(painted.replaceAll(/\x1b\[\d+m/g, '')).to.equal(renderTable(on(80), ['state', 'n'], toned));
    expect(painted).to.contain('\x1b[32mverified\x1b[39m');
  });
});

describe('stored text on a terminal', () => {
  it('directs nothing: escapes, line ends and turned writing are shown', () => {
    expect(harmless('a\x1b[2Jb\nc\t\u202Ed')).to.equal('a\\u001b[2Jb\\nc\\t\\u202ed');
  });

  it('takes the columns that it is counted with', () => {
    expect(['abc', '字', 'e\u0301', '👍🏽', 'ü'].map(textWidth)).to.deep.equal([3, 2, 1, 2, 1]);
    expect([cutText('字字字', 4), padText('字', 4), cutText('abcd', 4)]).to.deep.equal(['字…', '字  ', 'abcd']);
  });
});

describe('sentences', () => {
  it('are folded between words, under their beginning', () => {
    expect(fold('  - one two three four', 12)).to.equal('  - one two\n    three\n    four');
    expect(fold('Expected   half a unit for each of them', 24)).to.equal(
      'Expected   half a unit\n           for each of\n           them',
    );
  });

  it('stay whole where somebody copies them', () => {
    expect(fold('→ Go on with: tablewright export orders --to there', 20)).to.equal(
      '→ Go on with:\n  tablewright export orders --to there',
    );
    expect(fold("It ends here. Run 'tablewright migrate --stack dev', then go on.", 30)).to.equal(
      "It ends here. Run\n'tablewright migrate --stack dev',\nthen go on.",
    );
    for (const line of [
      'tablewright export orders --to there',
      'http://127.0.0.1:8000/#aaaaaaaaaaaaaaaaaa',
      '  "a": [1, 2, 3, 4, 5, 6, 7]',
    ])
      expect(fold(line, 20)).to.equal(line);
  });
});

describe('colour', () => {
  it('is for terminals, unless somebody says otherwise', () => {
    const cases: readonly (readonly [boolean, Record<string, string>, boolean, boolean])[] = [
      [true, {}, false, true],
      [false, {}, false, false],
      [true, { TERM: 'dumb' }, false, false],
      [true, { NO_COLOR: '1' }, false, false],
      [true, { NO_COLOR: '' }, false, true],
      [false, { FORCE_COLOR: '1' }, false, true],
      [true, { FORCE_COLOR: '0' }, false, false],
      [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
      [true, { FORCE_COLOR: '1' }, true, false],
    ];
    for (const [terminal, env, refused, wanted] of cases)
      expect(wantsColour(terminal, env, refused), JSON.stringify([terminal, env, refused])).to.equal(wanted);
  });

  it('marks the code of an error, warnings and the way on, and changes no letter', () => {
    const text = 'LOCKED: somebody runs\n  ! wait\n→ Run it later.';
    const painted = paintLines(text, painter(true));
    expect(painted.split('\n').map((line) => line.includes('\x1b['))).to.deep.equal([true, true, true]);
    expect(painted.replaceAll(/\x1b\[\d+m/g, '')).to.equal(text);
  });
});

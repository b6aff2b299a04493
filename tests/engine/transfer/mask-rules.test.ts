import { expect } from 'chai';
import { unmatchedRules } from '../../../engine/core/transfer/mask/check-tally.ts';
import { type MaskRule, readMaskFile } from '../../../engine/core/transfer/mask/mask-rules.ts';
import { buildItem } from '../../../tables/model/item.ts';
import { client, omsConfig, setting } from '../../../tables/oms/config.ts';
import { orderManagement } from '../../../tables/order-management/order-management.ts';
import { boundTable, maskerOf, maskFile, ruleProblems } from '../../support/mask-bed.ts';

const problemsOf = (...rules: readonly MaskRule[]) => ruleProblems(maskFile(rules));

describe('the rules of a mask', () => {
  it('are refused when they are misspelt, with the name that was probably meant, all together', () => {
    expect(
      problemsOf(
        { attribute: 'emial', as: 'email' },
        { table: 'oms_confg', attribute: 'name', as: 'name' },
        { entity: 'CUSTOMR', attribute: 'cpf', as: 'cpf' },
        { table: 'order-management', entity: 'CLIENT', attribute: 'name', as: 'name' },
        { attribute: 'address.stret', as: 'text' },
        { attribute: 'order_date', as: 'date', by: 'cfp' },
      ),
    ).to.deep.equal([
      'rule 1: emial as email: no entity that it is for has emial; did you mean email?; an attribute outside of the catalogue takes undeclared: true',
      'rule 2: oms_confg name as name: there is no table oms_confg; did you mean oms_config?',
      'rule 3: CUSTOMR cpf as cpf: no table has an entity CUSTOMR; did you mean CUSTOMER?',
      'rule 4: order-management/CLIENT name as name: order-management has no entity CLIENT',
      'rule 5: address.stret as text: no entity that it is for has address.stret; did you mean address?; an attribute outside of the catalogue takes undeclared: true',
      'rule 6: order_date as date: by: no entity that it is for has cfp',
    ]);
  });

  it('may name what only another table has: one file serves the whole stack', () => {
    const rules: MaskRule[] = [
      { attribute: 'cpf', as: 'cpf' },
      { entity: 'CLIENT', attribute: 'name', as: 'name' },
      { table: 'orders', attribute: 'owner', as: 'text' },
    ];
    expect(problemsOf(...rules)).to.deep.equal([]);
    expect(boundTable(orderManagement, maskFile(rules)).rules.map((rule) => rule.attribute)).to.deep.equal(['cpf']);
  });

  it('mask the name of a CLIENT and leave that of a SETTING', () => {
    const masker = maskerOf(omsConfig, maskFile([{ table: 'oms_config', entity: 'CLIENT', attribute: 'name', as: 'name' }]));
    const person = buildItem(omsConfig, client, { client_id: 'c1', name: 'Joaquim Figueiredo', status: 'ACTIVE' });
    const flag = buildItem(omsConfig, setting, { name: 'trading_enabled', value: 'true' });
    expect(masker.apply(person)?.name).not.to.deep.equal(person.name);
    expect(masker.apply(flag)).to.deep.equal(flag);
  });

  it('go from one end of a reference to the other, and to companions', () => {
    const file = maskFile([{ table: 'oms_config', entity: 'CLIENT', attribute: 'client_id', as: 'text' }]);
    expect(ruleProblems(file)).to.deep.equal([]);
    const bound = boundTable({ ...omsConfig, name: 'oms_trading_data' }, file);
    for (const [name, { rules }] of bound.ofEntity) expect(rules.members.get('client_id')?.rule?.as, name).to.equal('text');
    const companions = boundTable(
      { ...omsConfig, name: 'oms_trading_data' },
      maskFile([{ entity: 'ORDER', table: 'oms_trading_data', attribute: 'order_id', as: 'text' }]),
    );
    for (const name of ['ORDER', 'ORDER_ID', 'ANALYST_ORDER', 'EXECUTION']) {
      expect(companions.ofEntity.get(name)?.rules.members.get('order_id')?.rule?.as, name).to.equal('text');
    }
  });

  it('are refused where the two ends of a reference would part', () => {
    const [problem, ...rest] = problemsOf(
      { entity: 'CLIENT', attribute: 'client_id', as: 'text' },
      { table: 'oms_trading_data', entity: 'POSITION', attribute: 'client_id', as: 'keep' },
    );
    expect(rest).to.deep.equal([]);
    expect(problem).to.match(
      /oms_trading_data\/POSITION\.client_id is the same as .* by the catalogue, masked as keep here and as text there/,
    );
  });

  it('are refused where a key would still show what is masked elsewhere, or lose a part', () => {
    expect(problemsOf({ attribute: 'address.city', as: 'text' })).to.deep.equal([
      'order-management/SHIPPING: the key SK = SHIPPING#{city}#{expected_delivery_date} holds city, which is masked elsewhere but not here; add a rule for city',
      'order-management/SHIPPING: the key GSI2-PK = CITY#{city} holds city, which is masked elsewhere but not here; add a rule for city',
    ]);
    expect(problemsOf({ attribute: 'cpf', as: 'remove' })).to.deep.equal([
      'order-management/CUSTOMER: the key SK = CUSTOMER#{cpf} holds cpf, which cannot be removed; mask it instead',
    ]);
  });

  it('of one attribute are told by which says more about where; two that say the same are refused', () => {
    const file = maskFile([
      { attribute: 'name', as: 'name' },
      { entity: 'SETTING', attribute: 'name', as: 'keep' },
    ]);
    expect(ruleProblems(file)).to.deep.equal([]);
    expect(boundTable(omsConfig, file).ofEntity.get('SETTING')?.rules.members.get('name')?.rule?.as).to.equal('keep');
    expect(problemsOf({ attribute: 'cpf', as: 'cpf' }, { attribute: 'cpf', as: 'text' })).to.deep.equal([
      'rule 2: cpf as text: rule 1 says the same place; leave one out',
    ]);
  });

  it('are an error when they matched nothing in records that could have it', () => {
    const bound = boundTable(
      orderManagement,
      maskFile([
        { attribute: 'notes', as: 'remove' },
        { attribute: 'nick', as: 'name', entity: 'CUSTOMER', undeclared: true },
        { attribute: 'cpf', as: 'cpf', optional: true },
      ]),
    );
    expect(unmatchedRules(bound, { 'entity:META': 2, 'entity:CUSTOMER': 1 })).to.deep.equal([
      'rule 1: notes as remove: matched nothing in 2 records that could have it; optional: true if that is no mistake',
      'rule 2: CUSTOMER nick as name: matched nothing in 1 record that could have it; optional: true if that is no mistake',
    ]);
    expect(unmatchedRules(bound, { 'entity:META': 2, 'rule:0': 1 })).to.deep.equal([]);
  });

  it('are read with every problem told', () => {
    expect(
      readMaskFile({
        rules: [
          { attribute: 'a', as: 'scramble' },
          { as: 'text', extra: 1 },
          { attribute: 'd', as: 'date' },
          { entity: 'none', as: 'hide' },
          7,
        ],
        subject: [],
        whole: ['CLIENT'],
      }),
    ).to.deep.equal({
      problems: [
        'subject: unknown key; expected one of rules, subjects, whole',
        'rule 1: as: expected one of text, name, email, cpf, cnpj, phone, digits, date, remove, keep, found "scramble"',
        'rule 2: extra: unknown key',
        'rule 2: attribute: expected the name of an attribute',
        'rule 3: by: a date takes the attribute that tells whose it is',
        'rule 4: as: of records without an entity expected drop or keep, found "hide"',
        'rule 5: expected a rule such as { attribute: cpf, as: cpf }, found 7',
        'whole: expected a list such as [oms_config/CLIENT], found ["CLIENT"]',
      ],
    });
    expect(readMaskFile({ rules: [] })).to.deep.equal({ problems: ['rules: expected a list of rules'] });
  });
});

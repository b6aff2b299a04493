import { expect } from 'chai';
import { createTableRequest } from '../../engine/core/tables/create-table.ts';
import { tableArgs } from '../../infra/table/table-args.ts';
import { omsConfig } from '../../tables/catalogue.ts';
import { partitionOf, tableArn } from '../../tables/model/stack/aws-place.ts';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';

describe('a table that is deployed or created', () => {
  it('has the same tags, the stack’s own among them', () => {
    const config = parseStackConfig('dev', { 'tablewright:tags': { Team: 'orders' } }, tables);
    const created = Object.fromEntries(createTableRequest(omsConfig, config).Tags.map(({ Key, Value }) => [Key, Value]));
    expect(created).to.deep.equal({ Team: 'orders', Environment: 'dev', Service: 'oms', Table: 'oms_config' });
    expect(tableArgs(omsConfig, config).tags).to.deep.equal(created);
  });

  it('has its ARN in the partition of its region', () => {
    const place = (region: string) => ({ partition: partitionOf(region), region, account: '123456789012' });
    expect(tableArn(place('us-east-1'), 't')).to.equal('arn:aws:dynamodb:us-east-1:123456789012:table/t');
    expect(tableArn(place('cn-north-1'), 't')).to.equal('arn:aws-cn:dynamodb:cn-north-1:123456789012:table/t');
    expect(tableArn(place('us-gov-west-1'), 't')).to.equal('arn:aws-us-gov:dynamodb:us-gov-west-1:123456789012:table/t');
  });
});

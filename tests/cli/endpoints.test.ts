import { expect } from 'chai';
import { findEndpoints } from '../../engine/cli/spec/endpoints.js';

const found = (...given: Parameters<typeof findEndpoints>) => findEndpoints(...given).endpoints;

const service = 'http://dynamodb.example:8000';
const all = 'http://localstack.example:4566';

describe('the servers to use', () => {
  it('are those of AWS or this machine when nothing is said', () => {
    expect(found({}, {})).to.deep.equal({ dynamodb: undefined, s3: undefined, sfn: undefined });
    expect(found({}, { AWS_ENDPOINT_URL: '' })).to.deep.equal({ dynamodb: undefined, s3: undefined, sfn: undefined });
  });

  it('come from --endpoint, then the service’s variable, then the one for all', () => {
    const environment = { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: service };
    const option = 'http://127.0.0.1:8000';
    const s3 = { url: all, source: 'AWS_ENDPOINT_URL' };
    const sfn = s3;
    expect(found({ endpoint: option }, environment)).to.deep.equal({
      dynamodb: { url: option, source: '--endpoint' },
      s3,
      sfn,
    });
    expect(found({}, environment)).to.deep.equal({
      dynamodb: { url: service, source: 'AWS_ENDPOINT_URL_DYNAMODB' },
      s3,
      sfn,
    });
    expect(found({}, { AWS_ENDPOINT_URL: all })).to.deep.equal({ dynamodb: s3, s3, sfn });
    expect(found({}, { AWS_ENDPOINT_URL_S3: service })).to.deep.equal({
      dynamodb: undefined,
      s3: { url: service, source: 'AWS_ENDPOINT_URL_S3' },
      sfn: undefined,
    });
    const own = { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_SFN: service };
    expect(found({}, own).sfn).to.deep.equal({ url: service, source: 'AWS_ENDPOINT_URL_SFN' });
  });

  it('are not taken from the environment where that is switched off, or an engine is asked for', () => {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: service };
    expect(found({}, { ...environment, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }).dynamodb).to.equal(undefined);
    expect(found({ engine: 'dynoxide' }, environment).dynamodb).to.equal(undefined);
  });

  it('must be addresses, and who said otherwise is named', () => {
    const message = (endpoint: string | undefined, environment = {}) => findEndpoints({ endpoint }, environment).problems;
    const expected = 'expected a URL such as http://127.0.0.1:8000, found';
    expect(message('foo')).to.deep.equal([`--endpoint: ${expected} foo`]);
    expect(message('http://127.0.0.1:99999')).to.deep.equal([`--endpoint: ${expected} http://127.0.0.1:99999`]);
    expect(message(undefined, { AWS_ENDPOINT_URL: 'localhost' })).to.deep.equal([`AWS_ENDPOINT_URL: ${expected} localhost`]);
  });
});

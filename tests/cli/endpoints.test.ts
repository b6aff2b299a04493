import { expect } from 'chai';
import { findEndpoints } from '../../engine/cli/endpoints.ts';
import type { TablewrightError } from '../../tables/model/error.ts';

const service = 'http://dynamodb.example:8000';
const all = 'http://localstack.example:4566';

describe('the servers to use', () => {
  it('are those of AWS or this machine when nothing is said', () => {
    expect(findEndpoints({}, {})).to.deep.equal({ dynamodb: undefined, s3: undefined });
    expect(findEndpoints({}, { AWS_ENDPOINT_URL: '' })).to.deep.equal({ dynamodb: undefined, s3: undefined });
  });

  it('come from --endpoint, then the service’s variable, then the one for all', () => {
    const environment = { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_DYNAMODB: service };
    const option = 'http://127.0.0.1:8000';
    const s3 = { url: all, source: 'AWS_ENDPOINT_URL' };
    expect(findEndpoints({ endpoint: option }, environment)).to.deep.equal({
      dynamodb: { url: option, source: '--endpoint' },
      s3,
    });
    expect(findEndpoints({}, environment)).to.deep.equal({
      dynamodb: { url: service, source: 'AWS_ENDPOINT_URL_DYNAMODB' },
      s3,
    });
    expect(findEndpoints({}, { AWS_ENDPOINT_URL: all })).to.deep.equal({ dynamodb: s3, s3 });
    expect(findEndpoints({}, { AWS_ENDPOINT_URL_S3: service })).to.deep.equal({
      dynamodb: undefined,
      s3: { url: service, source: 'AWS_ENDPOINT_URL_S3' },
    });
  });

  it('are not taken from the environment where that is switched off, or an engine is asked for', () => {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: service };
    expect(findEndpoints({}, { ...environment, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }).dynamodb).to.equal(undefined);
    expect(findEndpoints({ engine: 'dynoxide' }, environment).dynamodb).to.equal(undefined);
  });

  it('must be addresses, and who said otherwise is named', () => {
    const message = (endpoint: string | undefined, environment = {}) => {
      try {
        findEndpoints({ endpoint }, environment);
      } catch (error) {
        return (error as TablewrightError).message;
      }
      return undefined;
    };
    const expected = 'expected a URL such as http://127.0.0.1:8000, found';
    expect(message('foo')).to.equal(`--endpoint: ${expected} foo`);
    expect(message('')).to.equal(`--endpoint: ${expected} nothing`);
    expect(message('http://127.0.0.1:99999')).to.equal(`--endpoint: ${expected} http://127.0.0.1:99999`);
    expect(message(undefined, { AWS_ENDPOINT_URL: 'localhost' })).to.equal(`AWS_ENDPOINT_URL: ${expected} localhost`);
  });
});

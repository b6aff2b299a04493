import { useMemo } from 'react';
import { doc } from '../lib/dynamo.js';

export async function loader() {
  const { Items = [] } = await doc.scan({ TableName: 'markets' }); // finds: scan-call markets markets.markets.byStatus
  return Items.filter((market) => market.status === 'Active').sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

export function Home({ markets }: { markets: { id: string; title: string }[] }) {
  const titles = useMemo(() => markets.map((market) => market.title), [markets]);
  return <ul>{titles.map((title) => <li key={title}>{title}</li>)}</ul>;
}

import { defineSeed, file } from 'tablewright';
import { parcel, parcels } from '../../tables/parcels.ts';

export default defineSeed({
  description: 'A few parcels',
  stacks: ['local', 'dev'],
  fixtures: [file(parcels, parcel, 'parcels.json')],
});

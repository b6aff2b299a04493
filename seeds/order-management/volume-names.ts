import type { Random } from '../../engine/author.ts';

export const companies = [
  { cnpj: '10.100.200/0001-01', name: 'Loja Central do Norte Ltda' },
  { cnpj: '20.200.300/0001-02', name: 'Casa & Jardim Comércio S.A.' },
  { cnpj: '30.300.400/0001-03', name: 'Distribuidora Planalto Ltda' },
  { cnpj: '40.400.500/0001-04', name: 'Eletro Sul ME' },
  { cnpj: '50.500.600/0001-05', name: 'Papelaria Ipê Ltda' },
  { cnpj: '60.600.700/0001-06', name: 'Empório Serrano Ltda' },
  { cnpj: '70.700.800/0001-07', name: 'Moda Litoral S.A.' },
  { cnpj: '80.800.900/0001-08', name: 'Ferragens União Ltda' },
] as const;

export interface City {
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

export const cities: readonly City[] = [
  { city: 'São Paulo', state: 'SP', zip: '010' },
  { city: 'Rio de Janeiro', state: 'RJ', zip: '220' },
  { city: 'Belo Horizonte', state: 'MG', zip: '301' },
  { city: 'Salvador', state: 'BA', zip: '400' },
  { city: 'Curitiba', state: 'PR', zip: '800' },
  { city: 'Fortaleza', state: 'CE', zip: '600' },
  { city: 'Porto Alegre', state: 'RS', zip: '900' },
  { city: 'Recife', state: 'PE', zip: '500' },
  { city: 'Goiânia', state: 'GO', zip: '740' },
  { city: 'Manaus', state: 'AM', zip: '690' },
  { city: 'Florianópolis', state: 'SC', zip: '880' },
  { city: 'Vitória', state: 'ES', zip: '290' },
];

/** By how often they are bought; prices in cents. */
export const goods = [
  { id: 'PRD-5001', name: 'Café torrado 500 g', cents: 2_135 },
  { id: 'PRD-5002', name: 'Cabo USB-C', cents: 3_990 },
  { id: 'PRD-5003', name: 'Fone de ouvido sem fio', cents: 25_000 },
  { id: 'PRD-5004', name: 'Caderno pautado', cents: 2_990 },
  { id: 'PRD-5005', name: 'Camiseta básica', cents: 4_990 },
  { id: 'PRD-5006', name: 'Capa protetora', cents: 4_990 },
  { id: 'PRD-5007', name: 'Garrafa térmica', cents: 11_900 },
  { id: 'PRD-5008', name: 'Luminária de mesa', cents: 15_980 },
  { id: 'PRD-5009', name: 'Tênis de corrida', cents: 39_990 },
  { id: 'PRD-5010', name: 'Furadeira', cents: 28_750 },
  { id: 'PRD-5011', name: 'Smartphone', cents: 250_000 },
  { id: 'PRD-5012', name: 'Monitor 27"', cents: 134_900 },
  { id: 'PRD-5013', name: 'Bicicleta aro 29', cents: 189_900 },
  { id: 'PRD-5014', name: 'Geladeira', cents: 379_900 },
] as const;

const firstNames = [
  'Ana',
  'Bruno',
  'Carla',
  'Diego',
  'Elisa',
  'Felipe',
  'Gabriela',
  'Hugo',
  'Isabela',
  'João',
  'Lívia',
  'Marcos',
];
const lastNames = ['Almeida', 'Barros', 'Cardoso', 'Dias', 'Esteves', 'Freitas', 'Gomes', 'Lacerda', 'Moreira', 'Pires', 'Rocha'];
const streets = [
  'Rua das Flores',
  'Avenida Brasil',
  'Rua XV de Novembro',
  'Avenida Central',
  'Rua do Comércio',
  'Alameda dos Ipês',
];
const quarters = ['Centro', 'Jardim América', 'Boa Vista', 'Santa Cruz', 'Vila Nova'];

export interface Person {
  readonly cpf: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly phone: string;
  readonly address: Readonly<Record<string, string>> & { readonly city: string };
}

export function people(number: number, { city, state, zip }: City, random: Random): Person {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const digits = String(100_000_000 + number);
  return {
    cpf: `${digits.slice(0, 3)}.${digits.slice(3, 6)}.${digits.slice(6)}-${String(number % 100).padStart(2, '0')}`,
    first_name: first,
    last_name: last,
    email: `cliente.${number + 1}@example.com`,
    phone: `+55 ${random.between(11, 99)} 9${random.between(1000, 9999)}-${random.between(1000, 9999)}`,
    address: {
      street: random.pick(streets),
      number: String(random.between(1, 4_000)),
      neighborhood: random.pick(quarters),
      city,
      state,
      zip_code: `${zip}${random.between(10, 99)}-${String(random.between(0, 999)).padStart(3, '0')}`,
    },
  };
}

// A number as people write it, read as the service reads it: 0.5, 0,5, 7×10⁻⁴, 10^-3.
const RAISED = /[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, GROUPED = /^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+$/;
const WRITTEN = /^(?:([+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+))(?:e([+-]?[0-9]+)| ?[x*×·] ?10\^ ?([+-]?[0-9]+))?|([+-]?)10\^ ?([+-]?[0-9]+))$/i;

// NaN for what cannot be read.
export function read(written) {
  if (written.length > 40) return NaN;
  const text = written.replace(RAISED, '^$&').normalize('NFKC').replace(/[−–]/g, '-').trim();
  const [, lead, e, power, sign, bare] = WRITTEN.exec(text) ?? [];
  if (lead === undefined && bare === undefined || GROUPED.test(lead ?? '')) return NaN;
  const value = Number(`${(lead ?? `${sign}1`).replace(',', '.')}e${e ?? power ?? bare ?? 0}`);
  return Number.isFinite(value) ? value : NaN;
}

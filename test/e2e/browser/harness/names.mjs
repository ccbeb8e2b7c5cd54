// Names for an installation that looks like somebody's: uneven in length, from
// many countries, the same each time.
const given = `Anna Ben Clara Dmitri Elif Farid Grace Hanna Ibrahim Jana Karim Lotte Mario Nadia Oskar Priya Quentin
  Rosa Sven Tomasz Uta Viktor Wei Xenia Yusuf Zoë Maximiliane Ngozi Aoife José-María`.split(/\s+/);
const family = `Weber Nguyen O’Connor Schmidt Kowalski Haddad Lindqvist Okafor Fischer Bianchi Müller Tanaka Ivanova
  Dubois Şahin Jensen García Hoffmann Silva Novák Baumgartner Li Whitaker Rossi Patel Zimmermann-Oberhausen
  van_der_Meer von_Hohenstein-Wartburg Fernández_de_la_Cruz`.split(/\s+/);

/** person gives the nth name, and the account of who has it. Up to 870 differ. */
export function person(n) {
  const last = family[(n + Math.floor(n / given.length)) % family.length].replaceAll("_", " ");
  const name = `${given[n % given.length]} ${last}`;
  const plain = name.replaceAll("ß", "ss").normalize("NFD").replace(/ı/g, "i");
  const username = plain
    .replace(/[^A-Za-z -]/g, "")
    .toLowerCase()
    .replaceAll(" ", ".");
  return { name, username };
}

/** Organizations besides the two of every world: name and the domain of its people's email. */
export const organizations = [
  ["Initech", "initech.example"],
  ["Nordwind Versicherungsgesellschaft a. G., Niederlassung Süd", "nordwind.example"],
  ["Hooli Public Sector & Defence Services (EMEA) Ltd", "hooli.example"],
];

const places = ["Berlin", "Hamburg", "Frankfurt am Main", "Lyon", "Kraków", "Dublin", "Milton Keynes", "Zürich"];

/** label gives what somebody may have written on the nth token; owner: a name, or none. */
export function label(n, owner) {
  const place = places[n % places.length];
  if (!owner) return n % 3 === 0 ? "" : n % 3 === 1 ? `Stock ${place}` : `Stock ${place}, shelf ${(n % 19) + 1}`;
  const first = owner.split(" ")[0];
  switch (n % 8) {
    case 0:
      return "Work";
    case 1:
      return `${first}, laptop`;
    case 2:
      return `${place}, desk ${(n % 7) + 1}.${100 + (n % 80)}`;
    case 3:
      return "Spare key, in the safe";
    case 4:
      return `${owner}: code signing for the release pipeline of the payment terminals`;
    case 5:
      return "";
    case 6:
      return `Spare of ${owner}, kept at the reception in ${place}`;
    default:
      return `Admin workstation ${place}`;
  }
}

export const models = [
  ["YubiKey 5C NFC", "5.7.4", "USB-C"],
  ["YubiKey 5 NFC", "5.4.3", "USB-A"],
  ["YubiKey 5C Nano FIPS", "5.7.4", "USB-C"],
  ["YubiKey 5C NFC", "5.4.3", "USB-C"],
  ["YubiKey 5Ci", "5.2.7", "USB-C, Lightning"],
  ["YubiKey 4", "4.3.7", "USB-A"],
];

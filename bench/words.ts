/** Words for the names of companies and people, and the titles of meetings and requests. */

const words = (text: string) => text.trim().split(/\s+/);
const lines = (text: string) => text.trim().split(/\s*,\s*/);

export const surnames = words(`
  Smith Miller Johnson Brown Garcia Martin Novak Rossi Silva Meyer Schmidt Weber Müller Nguyen Kim Tanaka
  Andersen Hansen Nielsen Jensen Larsson Åkesson Lindqvist Östlund Virtanen Mäkinen Korhonen Østergård Dahl
  Bakke Łukowski Kowalski Wójcik Dvořák Černý Horváth Kovács Szűcs Popescu Ionescu Petrović Đorđević Yılmaz
  Çelik Şahin Papadopoulos Moreau Lefèvre Girard Bélanger Françoise Núñez Peña Muñoz Castaño Gonçalves Magalhães
  Araújo Fischer Schäfer Krüger Größl Weißmann Huber Zäch Bianchi Ferrari Conti Greco Vermeulen Janssens
  Bakker Visser Murphy Kelly O'Brien Byrne Campbell Stewart Evans Hughes Walker Turner Cooper Parker Bennett
  Foster Hayes Sullivan Patel Sharma Gupta Singh Khan Haddad Mansour Cohen Levi Okafor Adeyemi Mensah Mwangi
  Dlamini Botha Chen Wang Zhao Suzuki Watanabe Yamamoto Park Choi Santos Reyes Tran Смирнов Παππάς 山田`);

export const openings = words(`
  Ax Bel Bri Cal Cor Dal Del Dor El Em Fal Fen Gal Gen Hal Hel Il Jor Kal Kel Lin Lor Mar Mer Nor Nov Or Pal
  Pel Qua Ral Ren Sal Sen Tal Tren Ul Val Ver Wex Xan Yor Zel Zim`);
export const middles = words(`
  a abi adu ami ani aro ato avi e eco eli emo eni era evo i ibo ica ido ilu imo ino ira ito o oba oco oni ora
  ovo u ula uno ura`);
export const endings = words(`
  bix cor da dex dyne fin gen gon ka kor la lex lia lith lo lux mar mex nar nex nix on phi ra rix ron sys ta
  tek tera tis ton vance via vix wave xis zen`);

export const trades = lines(`
  Group, Solutions, Systems, Technologies, Energy, Foods, Logistics, Partners, Consulting, Software, Health,
  Capital, Media, Labs, Motors, Networks, Analytics, Industries, Insurance, Pharma, Robotics, Design, Textiles,
  Airlines, Shipping, Construction, Bakeries, Breweries, Cement, Chemicals, Coffee Roasters, Dairy, Education,
  Electronics, Fisheries, Forestry, Furniture, Glass, Hotels, Instruments, Irrigation, Jewellers, Laundries,
  Machinery, Mining, Opticians, Packaging, Paper Mills, Plumbing, Printing, Publishing, Rail, Recycling,
  Semiconductors, Steel, Straßenbau, Telecom, Timber, Tools, Veterinary, Water, Wind, Crèmerie, Équipements`);
export const forms = lines("Inc., Ltd, GmbH, LLC, AG, S.A., B.V., AB, Oy, AS, S.p.A., Kft., Sp. z o.o., Co.");

export const codes = words("ACME ALFA CORE DEMO EAST GLOB HOLD KEYS MAIN NORD PLUS SITE TEAM UNIT WEST ZONE");

export const firstNames = words(`
  Ada Ahmed Aiko Alice Ana Anders Björn Carlos Chiara Chloé Daniel Elena Emma Fatima Felix Grace Hannah Ines
  Ivan James Jürgen Kenji Lars Laura Léa Lucía Maria Mateo Mei Noah Nora Olga Oscar Paula Peter Priya Rosa Ruth
  Samuel Sofia Søren Thomas Ursula Victor Wei Yusuf Zoë`);

export const meetingTitles = lines(`
  Kick-off, Weekly call, Quarterly review, Training, Onboarding, Renewal, Roadmap, Technical review,
  Support handover, Contract negotiation, Executive briefing, Integration workshop`);
export const requestTitles = lines(`
  Single sign-on, Export to CSV, Faster reports, Audit log, Dark mode, Webhooks, Invoices by e-mail,
  More than one currency, Permissions by team, Calendar integration, Bulk import, Two-factor authentication,
  Search in archived items, Mobile layout, Data residency, Service level report`);
